import { encodeAbiParameters } from "viem/utils";
import { expect, test } from "vitest";
import type { AbiEntry } from "../../../../src/verification/compilers/output.ts";
import {
  areConstructorArguments,
  guessArguments,
  takesArguments,
} from "../../../../src/verification/match/code/creation-code.ts";
import { bytes, wordOf } from "../../../support/compiled-code.ts";

type Input = { type: string; components?: Input[] };

function constructorOf(...inputs: (string | Input)[]): AbiEntry[] {
  const parameters = inputs.map((input) => (typeof input === "string" ? { type: input } : input));
  return [
    { type: "function", inputs: [{ type: "bool" }] },
    { type: "constructor", inputs: parameters },
  ];
}

function encoded(types: string[], values: unknown[]): Buffer {
  return bytes(
    encodeAbiParameters(
      types.map((type) => ({ type })),
      values,
    ).slice(2),
  );
}

test("a constructor takes arguments when its ABI lists some", () => {
  expect(takesArguments(constructorOf("uint256"))).toBe(true);
  expect(takesArguments(constructorOf())).toBe(false);
  expect(takesArguments([{ type: "constructor", inputs: "uint256" }])).toBe(false);
  expect(takesArguments([{ type: "function", inputs: [{ type: "uint256" }] }])).toBe(false);
});

test("arguments are exactly the encoding of values", () => {
  const abi = constructorOf("uint8", "string");
  const good = encoded(["uint8", "string"], [7, "periscope"]);
  expect(areConstructorArguments(abi, good)).toBe(true);
  expect(areConstructorArguments(abi, good.subarray(0, -32))).toBe(false);
  expect(areConstructorArguments(abi, Buffer.concat([good, wordOf(0n)]))).toBe(false);
  const dirty = Buffer.from(good);
  dirty[dirty.length - 1] = 1;
  expect(areConstructorArguments(abi, dirty)).toBe(false);
  expect(areConstructorArguments(abi, bytes("60"))).toBe(false);
});

test("without parameters there are no arguments", () => {
  expect(areConstructorArguments(constructorOf(), Buffer.alloc(0))).toBe(true);
  expect(areConstructorArguments([], bytes("60"))).toBe(false);
});

test("texts need not be UTF-8, in tuples neither, and functions are 24 bytes", () => {
  const text = encoded(["bytes"], ["0xff"]);
  expect(areConstructorArguments(constructorOf("string"), text)).toBe(true);
  const tuple = { type: "tuple", components: [{ type: "string" }] };
  const inTuple = bytes(
    encodeAbiParameters(
      [{ type: "tuple", components: [{ type: "bytes" }] }] as never,
      [["0xff"]] as never,
    ).slice(2),
  );
  expect(areConstructorArguments(constructorOf(tuple), inTuple)).toBe(true);
  const reference = bytes("ab".repeat(24), "00".repeat(8));
  expect(areConstructorArguments(constructorOf("function"), reference)).toBe(true);
});

test("arguments at an unknown place are guessed from the end, the shortest first", () => {
  const code = bytes("60".repeat(100));
  const creation = Buffer.concat([code, ...[1n, 2n, 3n, 4n, 5n].map(wordOf)]);
  const abi = constructorOf("uint256", "uint256");
  expect(guessArguments(abi, creation)).toEqual([creation.subarray(-64)]);
  expect(guessArguments(abi, wordOf(1n))).toEqual([]);
  expect(guessArguments(abi, Buffer.concat([wordOf(1n), wordOf(2n)]))).toHaveLength(1);
  expect(guessArguments(constructorOf("uint256"), wordOf(1n))).toEqual([wordOf(1n)]);
  expect(guessArguments(constructorOf(), creation)).toEqual([Buffer.alloc(0)]);
});

test("no more than four guesses, within the last 32 KB", () => {
  const abi = constructorOf("uint256[]");
  const listOf = (length: number) => encoded(["uint256[]"], [Array.from({ length }, () => 0n)]);
  let nested: Buffer = Buffer.alloc(0);
  for (let words = 0n; words < 10n; words += 2n) {
    nested = Buffer.concat([wordOf(32n), wordOf(words), nested]);
  }
  expect(guessArguments(abi, nested).map(({ length }) => length)).toEqual([64, 128, 192, 256]);
  expect(guessArguments(abi, listOf(1022))).toEqual([listOf(1022)]);
  expect(guessArguments(abi, listOf(1023))).toEqual([]);
});
