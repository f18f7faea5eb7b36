import fc from "fast-check";
import { encodeAbiParameters, type AbiParameter as ViemParameter } from "viem";
import { expect, test } from "vitest";
import { type AbiParameter, readAbi } from "../../../src/api/abi/abi.ts";
import {
  createDecodingBudget,
  decode,
  isOverdrawn,
  spendOn,
} from "../../../src/api/abi/decoding.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { wordAt } from "../../support/build.ts";

function parametersOf(inputs: readonly object[]): AbiParameter[] {
  const [entry] = readAbi(JSON.stringify([{ type: "function", name: "f", inputs }]));
  if (!entry) throw new Error("no ABI");
  return entry.inputs;
}

const words = (...values: (number | Hex)[]): Hex =>
  `0x${values.map((value) => (typeof value === "number" ? wordAt(value) : value).slice(2)).join("")}`;

/** A type and a value of it. */
interface Sample {
  parameter: ViemParameter;
  value: unknown;
}

const LEAVES: [string, fc.Arbitrary<unknown>][] = [
  ["uint256", fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })],
  ["int8", fc.integer({ min: -128, max: 127 })],
  ["bool", fc.boolean()],
  ["string", fc.string({ maxLength: 70 })],
  [
    "bytes",
    fc.uint8Array({ maxLength: 70 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`),
  ],
  ["bytes3", fc.constant("0x123456")],
];

const sample: fc.Arbitrary<Sample> = fc.letrec<{ any: Sample }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .constantFrom(...LEAVES)
      .chain(([type, values]) =>
        values.map((value) => ({ parameter: { type, name: "leaf" }, value })),
      ),
    fc.array(tie("any"), { minLength: 1, maxLength: 3 }).map((members) => ({
      parameter: {
        type: "tuple",
        name: "struct",
        components: members.map(({ parameter }) => parameter),
      },
      value: members.map(({ value }) => value),
    })),
    fc
      .tuple(tie("any"), fc.nat(3), fc.boolean())
      .map(([{ parameter, value }, length, isFixed]) => ({
        parameter: { ...parameter, type: `${parameter.type}[${isFixed ? length + 1 : ""}]` },
        value: Array.from({ length: isFixed ? length + 1 : length }, () => value),
      })),
  ),
})).any;

/** Values, lists and structs in a value. */
function countOf(value: unknown): number {
  return (
    1 + (Array.isArray(value) ? value.reduce((sum: number, item) => sum + countOf(item), 0) : 0)
  );
}

const nameless = (parameter: ViemParameter): ViemParameter => {
  const { name: _, ...rest } = parameter;
  return "components" in rest ? { ...rest, components: rest.components.map(nameless) } : rest;
};

test("what a library encoded fits, and costs as many values as it has", () => {
  fc.assert(
    fc.property(fc.array(sample, { minLength: 1, maxLength: 3 }), (samples) => {
      const data = encodeAbiParameters(
        samples.map(({ parameter }) => nameless(parameter)),
        samples.map(({ value }) => value),
      );
      const parameters = parametersOf(samples.map(({ parameter }) => parameter));
      const budget = { values: Number.MAX_SAFE_INTEGER, characters: Number.MAX_SAFE_INTEGER };
      expect(spendOn(parameters, data, budget)).toBe(true);
      const count = samples.reduce((sum, { value }) => sum + countOf(value), 0);
      expect(Number.MAX_SAFE_INTEGER - budget.values).toBe(count);
      const exact = { values: count, characters: Number.MAX_SAFE_INTEGER };
      expect(spendOn(parameters, data, exact)).toBe(true);
      const tooSmall = { values: count - 1, characters: Number.MAX_SAFE_INTEGER };
      expect(spendOn(parameters, data, tooSmall)).toBe(false);
      expect(isOverdrawn(tooSmall)).toBe(true);
    }),
  );
});

test.each<[string, object, Hex]>([
  [
    "a thousand pointers to one text",
    { type: "string[]" },
    words(
      32,
      1000,
      ...Array.from({ length: 1000 }, () => 32_000),
      60_000,
      `0x${"61".repeat(60_000)}`,
    ),
  ],
  [
    "more elements than are shown",
    { type: "uint256[]" },
    words(32, 31_000, `0x${"00".repeat(992_000)}`),
  ],
  [
    "lists in lists",
    { type: `uint256${"[1]".repeat(14)}[]` },
    words(32, 31_000, `0x${"00".repeat(992_000)}`),
  ],
  [
    "names of 100,000 characters",
    { type: "uint256[]", name: "x".repeat(100_000) },
    words(32, 1, 1),
  ],
  [
    "structs whose members have long names",
    { type: "tuple[]", components: [{ type: "uint256", name: "x".repeat(3000) }] },
    words(32, 2000, `0x${"00".repeat(64_000)}`),
  ],
])("decoded values are bounded: %s", (_name, input, data) => {
  const budget = createDecodingBudget();
  const decoded = decode(parametersOf([input]), data, budget);
  expect(JSON.stringify(decoded ?? null).length).toBeLessThan(1_100_000);
  expect(decoded === undefined).toBe(isOverdrawn(budget));
});

test("an exhausted budget decodes nothing more", () => {
  const budget = { values: 3, characters: 1000 };
  const parameters = parametersOf([{ type: "uint256" }, { type: "uint256" }]);
  expect(decode(parameters, words(1, 2), budget)).toHaveLength(2);
  expect(decode(parameters, words(1, 2), budget)).toBeUndefined();
  expect(decode(parametersOf([{ type: "bool" }]), words(1), budget)).toBeUndefined();
});
