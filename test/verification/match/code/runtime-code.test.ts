import { describe, expect, test } from "vitest";
import {
  DEPLOY_ADDRESS,
  matchRuntimeCode,
} from "../../../../src/verification/match/code/runtime-code.ts";
import { addressAt } from "../../../support/build.ts";
import { bareMetadata, bytes, compiled, solcMetadata } from "../../../support/compiled-code.ts";

const ADDRESS = addressAt(0xab);
const DIGITS = ADDRESS.slice(2);
const OWN = solcMetadata("11");
const BODY = bytes("6001600255fe");
const WITH_TAIL = compiled(Buffer.concat([BODY, OWN]), {
  auxdata: [{ id: "1", offset: BODY.length, value: OWN }],
});

function match(code = WITH_TAIL, onChain = code.bytes, told = [OWN]) {
  return matchRuntimeCode(code, told, onChain, ADDRESS);
}

describe("the metadata at the end may differ", () => {
  test("not at all: full", () => {
    expect(match()).toEqual({ quality: "full", transformations: [], values: {} });
  });

  test("in its hash, and in its length", () => {
    for (const there of [solcMetadata("22"), bareMetadata()]) {
      expect(match(WITH_TAIL, Buffer.concat([BODY, there]))).toEqual({
        quality: "partial",
        transformations: [{ type: "replace", reason: "cborAuxdata", offset: BODY.length, id: "1" }],
        values: { cborAuxdata: { "1": `0x${there.toString("hex")}` } },
      });
    }
  });

  test("by its absence, with the INVALID in front of it or without", () => {
    const deleted = (offset: number) => ({
      quality: "partial",
      transformations: [{ type: "delete", reason: "cborAuxdata", offset, id: "1" }],
      values: {},
    });
    expect(match(WITH_TAIL, BODY)).toEqual(deleted(BODY.length));
    expect(match(WITH_TAIL, BODY.subarray(0, -1))).toEqual(deleted(BODY.length - 1));
    const unended = Buffer.concat([bytes("60016002"), OWN]);
    const code = compiled(unended, { auxdata: [{ id: "1", offset: 4, value: OWN }] });
    expect(match(code, bytes("600160"))).toMatchObject({ kind: "length" });
  });

  test("not to that of another compiler", () => {
    const newer = Buffer.concat([BODY, solcMetadata("11", "000815")]);
    expect(match(WITH_TAIL, newer)).toEqual({
      kind: "length",
      compiled: newer.length,
      onChain: newer.length,
    });
  });
});

test("metadata within the code may differ in its hash", () => {
  const inner = compiled(Buffer.concat([bytes("fe"), OWN, BODY, OWN]), {
    auxdata: [
      { id: "1", offset: 1, value: OWN },
      { id: "2", offset: 1 + OWN.length + BODY.length, value: OWN },
    ],
  });
  const onChain = Buffer.concat([bytes("fe"), solcMetadata("22"), BODY, OWN]);
  expect(match(inner, onChain)).toMatchObject({
    quality: "partial",
    transformations: [{ type: "replace", offset: 1, id: "1" }],
  });
  const withoutTail = compiled(Buffer.concat([OWN, BODY]), {
    auxdata: [{ id: "1", offset: 0, value: OWN }],
  });
  expect(match(withoutTail, Buffer.concat([solcMetadata("22"), BODY]))).toMatchObject({
    transformations: [{ type: "replace", offset: 0, id: "1" }],
  });
  expect(match(withoutTail, Buffer.concat([OWN, bytes("7001600255fe")]))).toEqual({
    kind: "bytes",
    offset: OWN.length,
    metadataEqual: false,
  });
});

test("other code is none, nor is no code", () => {
  const other = (metadata: Buffer) => Buffer.concat([bytes("6001600155fe"), metadata]);
  const mismatch = (metadataEqual: boolean) => ({ kind: "bytes", offset: 3, metadataEqual });
  expect(match(WITH_TAIL, other(OWN))).toEqual(mismatch(true));
  expect(match(WITH_TAIL, other(solcMetadata("22")))).toEqual(mismatch(false));
  expect(match(compiled(BODY), bytes("60"))).toEqual({ kind: "length", compiled: 6, onChain: 1 });
  expect(match(compiled(bytes("")), bytes(""))).toEqual({ kind: "empty" });
});

test("an immutable has one value, a library one address", () => {
  const slots = (id: string) => [0, 1].map((offset) => ({ id, offset, length: 1 }));
  const immutable = compiled(bytes("0000"), { immutables: slots("7") });
  expect(match(immutable, bytes("aaaa"))).toMatchObject({
    values: { immutables: { "7": "0xaa" } },
  });
  expect(match(immutable, bytes("aabb"))).toEqual({ kind: "immutable" });
  const library = compiled(bytes("0000"), { libraries: slots("M.sol:M") });
  expect(match(library, bytes("aaaa"))).toMatchObject({
    values: { libraries: { "M.sol:M": "0xaa" } },
  });
  expect(match(library, bytes("aabb"))).toEqual({ kind: "library", name: "M.sol:M" });
});

describe("a library refuses plain calls by its own address", () => {
  const zeros = "00".repeat(20);
  const library = compiled(bytes("73", zeros, "3014"));

  test("which it pushes first", () => {
    expect(match(library, bytes("73", DIGITS, "3014"))).toEqual({
      quality: "full",
      transformations: [{ type: "replace", reason: "callProtection", offset: 1 }],
      values: { callProtection: ADDRESS },
    });
    expect(match(library, library.bytes)).toMatchObject({ transformations: [] });
    expect(match(library, bytes("73", "cd".repeat(20), "3014"))).toEqual({
      kind: "call-protection",
    });
  });

  test("other code that pushes an address is compared as it stands", () => {
    const differs = (offset: number) => ({ kind: "bytes", offset, metadataEqual: false });
    expect(match(library, bytes("60", DIGITS, "3014"))).toEqual(differs(0));
    expect(match(compiled(bytes("60", zeros)), bytes("60", DIGITS))).toEqual(differs(4));
    expect(match(compiled(bytes("73", "cd".repeat(20))), bytes("73", DIGITS))).toEqual(differs(1));
  });

  test("unlike code of Yul that pushes another library's address first", () => {
    const libraries = [{ id: "M.sol:M", offset: 1, length: 20 }];
    const linked = bytes("73", "cd".repeat(20), "3014");
    expect(match(compiled(library.bytes, { libraries }), linked)).toMatchObject({
      values: { libraries: { "M.sol:M": `0x${"cd".repeat(20)}` } },
    });
  });

  test("with the IR in an immutable", () => {
    const slots = [
      { id: DEPLOY_ADDRESS, offset: 1, length: 32 },
      { id: "7", offset: 33, length: 1 },
    ];
    const code = compiled(bytes("7f", "00".repeat(33)), { immutables: slots });
    const onChain = (address: string) => bytes("7f", "00".repeat(12), address, "aa");
    expect(match(code, onChain(DIGITS))).toMatchObject({ quality: "full" });
    expect(match(code, onChain("cd".repeat(20)))).toEqual({ kind: "call-protection" });
  });
});
