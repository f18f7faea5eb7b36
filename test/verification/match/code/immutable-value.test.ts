import { describe, expect, test } from "vitest";
import {
  isPlainValue,
  isValueOf,
  isVyperValue,
  type ValueRules,
} from "../../../../src/verification/match/code/immutable-value.ts";
import { bytes, wordOf } from "../../../support/compiled-code.ts";

const SYNTAX = {
  enums: new Map([["5", 3]]),
  valueTypes: new Map([["6", "t_uint8"]]),
};
const RULES: ValueRules = { viaIR: false, destinations: new Set([7]), extendsSigns: true };

function isValue(type: string, word: bigint, rules: Partial<ValueRules> = {}): boolean {
  return isValueOf(type, wordOf(word), SYNTAX, { ...RULES, ...rules });
}

test.each<[string, bigint, bigint]>([
  ["t_uint8", 255n, 256n],
  ["t_uint256", 2n ** 256n - 1n, 0n],
  ["t_int8", 127n, 128n],
  ["t_int8", -128n, -129n],
  ["t_bytes4", 1n << 224n, 1n << 223n],
  ["t_bytes32", 1n, 0n],
  ["t_bool", 1n, 2n],
  ["t_address", 2n ** 160n - 1n, 2n ** 160n],
  ["t_address_payable", 2n ** 160n - 1n, 2n ** 160n],
  ["t_contract$_IERC20_$27", 2n ** 160n - 1n, 2n ** 160n],
  ["t_enum$_Side_$5", 2n, 3n],
  ["t_userDefinedValueType$_Tick_$6", 255n, 256n],
])("the values of %s end at %d", (type, last, next) => {
  expect(isValue(type, last)).toBe(true);
  // Types that fill the word have no value beyond.
  if (next !== 0n) expect(isValue(type, next)).toBe(false);
});

test("nothing is a value of a type that is not known, or of no word", () => {
  expect(isValue("t_string_storage", 0n)).toBe(false);
  expect(isValue("t_enum$_Side_$9", 0n)).toBe(false);
  expect(isValue("t_userDefinedValueType$_Tick_$9", 0n)).toBe(false);
  expect(isValueOf("t_uint8", bytes("01"), SYNTAX, RULES)).toBe(false);
});

test("before 0.8.9 a negative number may fill its own bits alone", () => {
  expect(isValue("t_int8", 0xffn)).toBe(false);
  expect(isValue("t_int8", 0xffn, { extendsSigns: false })).toBe(true);
  expect(isValue("t_int8", 0x100n, { extendsSigns: false })).toBe(false);
  expect(isValue("t_int8", -1n, { extendsSigns: false })).toBe(true);
});

describe("a function", () => {
  const TYPE = "t_function_internal_view$__$returns$_t_bool_$";

  test("is a jump destination, or was never set", () => {
    expect(isValue(TYPE, 7n)).toBe(true);
    expect(isValue(TYPE, (9n << 32n) | 7n)).toBe(true);
    expect(isValue(TYPE, 0n)).toBe(true);
    expect(isValue(TYPE, 8n)).toBe(false);
    expect(isValue(TYPE, (1n << 64n) | 7n)).toBe(false);
    expect(isValue(TYPE, 7n, { destinations: null })).toBe(false);
  });

  test("is any number with the IR", () => {
    expect(isValue(TYPE, 8n, { viaIR: true })).toBe(true);
    expect(isValue(TYPE, 1n << 64n, { viaIR: true })).toBe(false);
  });

  test("outside of the contract has no rules", () => {
    expect(isValue("t_function_external_view$__$", 7n)).toBe(false);
  });
});

test.each<[string, bigint, boolean]>([
  ["uint8", 255n, true],
  ["uint8", 256n, false],
  ["address payable", 1n, true],
  ["contract IERC20", 2n ** 160n, false],
  ["contract IERC20", 5n, true],
  ["int8", 0xffn, false],
  ["enum Side", 0n, false],
  ["function () view", 0n, false],
])("a word as a plain %s: %d", (type, word, expected) => {
  expect(isPlainValue(type, wordOf(word))).toBe(expected);
});

const ADDRESS = 2n ** 160n - 1n;
const TEXT = BigInt(`0x${"7a".repeat(32)}`);

// Lengths are those that vyper 0.4.3 gives such immutables.
test.each<[string, bigint[], boolean]>([
  ["String[40]", [40n, TEXT, TEXT], true],
  ["String[40]", [41n, TEXT, TEXT], false],
  ["Bytes[33]", [2n ** 255n, TEXT, TEXT], false],
  ["DynArray[uint8, 3]", [2n, 1n, 255n, 256n], true],
  ["DynArray[uint8, 3]", [3n, 1n, 255n, 256n], false],
  ["DynArray[uint8, 3]", [3n, 1n, 255n, 255n], true],
  ["DynArray[uint8, 3]", [4n, 1n, 1n, 1n], false],
  ["DynArray[Bytes[33], 2]", [1n, 33n, TEXT, TEXT, 34n, TEXT, TEXT], true],
  ["DynArray[Bytes[33], 2]", [2n, 33n, TEXT, TEXT, 34n, TEXT, TEXT], false],
  ["address[2]", [ADDRESS, ADDRESS], true],
  ["address[2]", [ADDRESS, ADDRESS + 1n], false],
  ["bool[2][2]", [0n, 1n, 1n, 2n], false],
  ["decimal", [2n ** 167n - 1n], true],
  ["decimal", [2n ** 167n], false],
  ["IERC20", [2n ** 255n], true],
])("an immutable of vyper as %s: %s", (type, words, expected) => {
  expect(isVyperValue(type, Buffer.concat(words.map(wordOf)))).toBe(expected);
});
