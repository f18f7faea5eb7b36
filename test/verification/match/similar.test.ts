import { describe, expect, test } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { DEPLOY_ADDRESS } from "../../../src/verification/match/code/runtime-code.ts";
import {
  blankedHash,
  fingerprintOf,
  isOtherDeployment,
  type KnownCode,
} from "../../../src/verification/match/similar.ts";
import { addressAt } from "../../support/build.ts";
import { bytes, compiled, matched, solcMetadata, wordOf } from "../../support/compiled-code.ts";

const ADDRESS = addressAt(0xab);

function fingerprint(
  onChain: Buffer,
  code = compiled(bytes("600160026003600400ff"), {
    auxdata: [{ id: "1", offset: 8, value: bytes("00ff") }],
  }),
  match = matched(),
) {
  const nothing = compiled(Buffer.alloc(0));
  return fingerprintOf(
    { runtime: match, creation: null, compiledRuntime: code, compiledCreation: nothing },
    match,
    onChain,
  );
}

describe("a fingerprint", () => {
  test("is the same for code that differs in the metadata alone", () => {
    const found = fingerprint(bytes("60016002600360041234"));
    expect(found).toMatchObject({ length: 10, mask: [[8, 2]] });
    const mask = found?.mask ?? [];
    expect(blankedHash(bytes("60016002600360045678"), mask)).toBe(found?.hash);
    expect(blankedHash(bytes("60016002600360055678"), mask)).not.toBe(found?.hash);
  });

  test("masks as much metadata as is on chain at the end, elsewhere as much as was compiled", () => {
    expect(fingerprint(bytes("6001600260036004" + "123456"))?.mask).toEqual([[8, 3]]);
    expect(fingerprint(bytes("60016002600360"))?.mask).toEqual([]);
    const inner = compiled(bytes("600160026003600400ff"), {
      auxdata: [{ id: "1", offset: 2, value: bytes("6002") }],
    });
    expect(fingerprint(bytes("6001aabb6003600400ff"), inner)?.mask).toEqual([[2, 2]]);
  });

  test("masks what deployment fills in", () => {
    const code = compiled(bytes("00".repeat(30)), {
      immutables: [{ id: "7", offset: 25, length: 2 }],
      libraries: [{ id: "M", offset: 27, length: 1 }],
    });
    const match = matched({
      transformations: [
        { type: "replace", reason: "callProtection", offset: 1 },
        { type: "replace", reason: "immutable", offset: 25, id: "7" },
        { type: "insert", reason: "immutable", offset: 28, id: "0" },
        { type: "insert", reason: "constructorArguments", offset: 29 },
      ],
    });
    expect(fingerprint(code.bytes, code, match)?.mask).toEqual([
      [25, 2],
      [27, 1],
      [1, 20],
      [28, 2],
    ]);
  });

  test("a blueprint has none: it holds creation code, in which the places are others", () => {
    expect(fingerprint(bytes("fe710060016002600360041234"))).toBeNull();
  });
});

describe("another deployment of known code", () => {
  const own = solcMetadata("11");
  const known = (parts: Partial<KnownCode> = {}): KnownCode => ({
    isVyper: false,
    compiled: compiled(Buffer.concat([bytes("60"), wordOf(0n), bytes("fe"), own]), {
      immutables: [{ id: "7", offset: 1, length: 32 }],
      auxdata: [{ id: "1", offset: 34, value: own }],
    }),
    immutables: { "7": `0x${wordOf(5n).toString("hex")}` },
    values: [{ name: "limit", type: "uint8", value: `0x${wordOf(5n).toString("hex")}` }],
    ...parts,
  });
  const codeOf = (value: bigint, metadata = own) =>
    Buffer.concat([bytes("60"), wordOf(value), bytes("fe"), metadata]);
  const isOther = (code: Buffer, parts: Partial<KnownCode> = {}) =>
    isOtherDeployment(known(parts), code, ADDRESS);

  test("differs in metadata into which nothing can jump", () => {
    expect(isOther(codeOf(5n, solcMetadata("22")))).toBe(true);
    expect(isOther(codeOf(5n, solcMetadata("5b")))).toBe(false);
    expect(isOther(bytes("6001"))).toBe(false);
  });

  test("differs in immutables that are values of their plain types", () => {
    expect(isOther(codeOf(255n))).toBe(true);
    expect(isOther(codeOf(256n))).toBe(false);
  });

  test("has the known immutables where their types are not known", () => {
    expect(isOther(codeOf(5n), { values: [] })).toBe(true);
    expect(isOther(codeOf(6n), { values: [] })).toBe(false);
    const text = [{ name: "f", type: "function ()", value: "0x" as Hex }];
    expect(isOther(codeOf(5n), { values: text })).toBe(true);
    expect(isOther(codeOf(6n), { values: text })).toBe(false);
  });

  test("holds its own address where the known one holds its own", () => {
    const slots = [
      { id: DEPLOY_ADDRESS, offset: 1, length: 32 },
      { id: "7", offset: 33, length: 1 },
    ];
    const library = known({
      compiled: compiled(bytes("7f", "00".repeat(33)), { immutables: slots }),
      immutables: { [DEPLOY_ADDRESS]: "0xab", "7": "0x05" },
      values: [],
    });
    const at = (address: string, value: string) =>
      bytes("7f", "00".repeat(12), address.slice(2), value);
    expect(isOtherDeployment(library, at(ADDRESS, "05"), ADDRESS)).toBe(true);
    expect(isOtherDeployment(library, at(ADDRESS, "06"), ADDRESS)).toBe(false);
    expect(isOtherDeployment(library, at(addressAt(0xcd), "05"), ADDRESS)).toBe(false);
  });
});

describe("another deployment of vyper's code, which its immutables follow", () => {
  const hex = (...values: bigint[]): Hex =>
    `0x${values.map((value) => wordOf(value).toString("hex")).join("")}`;
  const known: KnownCode = {
    isVyper: true,
    compiled: compiled(bytes("6001")),
    immutables: { "0": hex(5n, 6n) },
    values: [
      { name: "limit", type: "uint8", value: hex(5n) },
      { name: "text", type: "String[32]", value: hex(6n) },
    ],
  };
  const isOther = (values: bigint[], parts: Partial<KnownCode> = {}) =>
    isOtherDeployment(
      { ...known, ...parts },
      Buffer.concat([bytes("6001"), ...values.map(wordOf)]),
      ADDRESS,
    );

  test("has the same, or other values of plain types", () => {
    expect(isOther([5n, 6n])).toBe(true);
    expect(isOther([5n, 6n], { values: [] })).toBe(true);
    expect(isOther([9n, 6n])).toBe(true);
    expect(isOther([9n, 7n])).toBe(false);
    expect(isOther([256n, 6n])).toBe(false);
    expect(isOther([9n, 6n], { values: [] })).toBe(false);
  });

  test("has as many, and the same code in front", () => {
    expect(isOther([9n])).toBe(false);
    expect(isOther([9n, 6n, 0n])).toBe(false);
    expect(isOther([], { immutables: {}, values: [] })).toBe(true);
    expect(isOtherDeployment(known, bytes("6002", hex(5n, 6n).slice(2)), ADDRESS)).toBe(false);
  });
});
