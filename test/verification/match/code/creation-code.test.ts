import { describe, expect, test } from "vitest";
import {
  matchCreationCode,
  mayFollow,
} from "../../../../src/verification/match/code/creation-code.ts";
import { bytes, compiled, solcMetadata, wordOf } from "../../../support/compiled-code.ts";

const TAKES_ONE = [{ type: "constructor", inputs: [{ type: "uint8" }] }];
const OWN = solcMetadata("11");
const CODE = Buffer.concat([bytes("6001"), OWN]);

function match(
  onChain: Buffer,
  { abi = [] as typeof TAKES_ONE | "data" | "nothing", given = null as Buffer | null } = {},
) {
  const code = compiled(CODE, { auxdata: [{ id: "1", offset: 2, value: OWN }] });
  return matchCreationCode(code, [OWN], onChain, abi, given);
}

test("the compiled code is found as it is, or with other metadata", () => {
  expect(match(CODE)).toEqual({ quality: "full", transformations: [], values: {} });
  const other = Buffer.concat([bytes("6001"), solcMetadata("22")]);
  expect(match(other)).toMatchObject({ quality: "partial", transformations: [{ offset: 2 }] });
});

test("other code is none, nor is no code", () => {
  expect(match(CODE.subarray(0, -1))).toEqual({ kind: "length", compiled: 55, onChain: 54 });
  const other = Buffer.concat([bytes("6002"), OWN]);
  expect(match(other)).toEqual({ kind: "bytes", offset: 1, metadataEqual: false });
  expect(matchCreationCode(compiled(bytes("")), [], CODE, [], null)).toEqual({ kind: "empty" });
});

test("a library has one address", () => {
  const slots = [0, 1].map((offset) => ({ id: "M.sol:M", offset, length: 1 }));
  const code = compiled(bytes("0000"), { libraries: slots });
  expect(matchCreationCode(code, [], bytes("aaaa"), [], null)).toMatchObject({
    values: { libraries: { "M.sol:M": "0xaa" } },
  });
  expect(matchCreationCode(code, [], bytes("aabb"), [], null)).toEqual({
    kind: "library",
    name: "M.sol:M",
  });
});

describe("behind the code are the constructor's arguments", () => {
  const withWord = (value: bigint) => Buffer.concat([CODE, wordOf(value)]);

  test("as the ABI has them", () => {
    expect(match(withWord(7n), { abi: TAKES_ONE })).toEqual({
      quality: "full",
      transformations: [{ type: "insert", reason: "constructorArguments", offset: CODE.length }],
      values: { constructorArguments: `0x${wordOf(7n).toString("hex")}` },
    });
    const misfit = { kind: "constructor-arguments", fault: "malformed" };
    expect(match(withWord(256n), { abi: TAKES_ONE })).toMatchObject(misfit);
    expect(match(CODE, { abi: TAKES_ONE })).toMatchObject(misfit);
    expect(match(withWord(7n))).toEqual({
      kind: "constructor-arguments",
      fault: "unexpected",
      values: { constructorArguments: `0x${wordOf(7n).toString("hex")}` },
    });
  });

  test("as the request names them, when there are any", () => {
    const misfit = { kind: "constructor-arguments", fault: "different" };
    expect(match(withWord(256n), { abi: TAKES_ONE, given: wordOf(256n) })).toMatchObject({
      quality: "full",
    });
    expect(match(withWord(7n), { abi: TAKES_ONE, given: wordOf(8n) })).toMatchObject(misfit);
    expect(match(withWord(7n), { given: wordOf(8n) })).toMatchObject(misfit);
    expect(match(CODE, { abi: TAKES_ONE, given: wordOf(8n) })).toMatchObject(misfit);
    expect(match(withWord(7n), { given: wordOf(7n) })).toMatchObject({ fault: "unexpected" });
  });

  test("any data without an ABI, if the code cannot run it", () => {
    expect(match(withWord(7n), { abi: "data" })).toMatchObject({
      values: { constructorArguments: `0x${wordOf(7n).toString("hex")}` },
    });
    expect(match(withWord(7n), { abi: "data", given: wordOf(7n) })).toHaveProperty("quality");
    expect(match(withWord(7n), { abi: "data", given: wordOf(8n) })).toMatchObject({
      kind: "constructor-arguments",
      fault: "different",
    });
    expect(match(withWord(7n), { abi: "nothing" })).toEqual({ kind: "runs-on" });
    expect(match(CODE, { abi: "nothing" })).toMatchObject({ quality: "full", values: {} });
  });
});

test.each([
  ["data", "01", true],
  ["nothing", "01", false],
  [TAKES_ONE, "01", false],
  [TAKES_ONE, wordOf(255n).toString("hex"), true],
] as const)("what follows %s: %s", (following, digits, mayBe) => {
  expect(mayFollow(following, bytes(digits))).toBe(mayBe);
});
