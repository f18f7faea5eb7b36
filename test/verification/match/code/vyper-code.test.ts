import { describe, expect, test } from "vitest";
import type { CodeMatch, Mismatch } from "../../../../src/verification/match/code/code-match.ts";
import {
  immutablesIn,
  matchVyperCreationCode,
  matchVyperRuntimeCode,
} from "../../../../src/verification/match/code/vyper-code.ts";
import {
  matchVyperContract,
  qualityOf,
  readContract,
} from "../../../../src/verification/match/contract-match.ts";
import { readVyperMetadata } from "../../../../src/verification/match/metadata/metadata.ts";
import { addressAt } from "../../../support/build.ts";
import { bytes, compiled, matched } from "../../../support/compiled-code.ts";

// Code that ends in what reads as vyper's metadata (sizes as of 0.4.3), whether the compiler wrote it or not.

const RUNTIME = "5f5ffd5b".repeat(10);
const INTEGRITY = "aa".repeat(32);
const OTHER = "bb".repeat(32);
const CODE = `6060${RUNTIME}`;

/** Hash, length of the runtime code, no data, no immutables, version; behind them their length. */
function tail(hash: string): string {
  const list = `855820${hash}18288000a165767970657283000403`;
  return list + (list.length / 2 + 2).toString(16).padStart(4, "0");
}

/** How code on chain whose last 32 bytes of "hash" differ, or do not, matches. */
function qualityWith(release: string, settings: Record<string, unknown>, onChain: string) {
  const code = (object: string) => ({ object, linkReferences: {}, immutableReferences: {} });
  const output = {
    abi: [],
    metadata: "",
    evm: {
      bytecode: code(CODE + tail(INTEGRITY)),
      deployedBytecode: code(RUNTIME),
      methodIdentifiers: {},
    },
  };
  const contract = readContract(output as unknown as Parameters<typeof readContract>[0], {
    language: "Vyper",
    release,
    settings,
    sources: new Map(),
    unreported: new Map(),
  });
  if (contract === undefined) throw new Error("unreadable");
  const codes = {
    address: addressAt(1),
    runtimeCode: Buffer.alloc(1),
    creationCode: Buffer.from(CODE + tail(onChain), "hex"),
  };
  return qualityOf(matchVyperContract(contract, codes, null));
}

test("metadata that vyper wrote: full with its hash, partial with another", () => {
  for (const settings of [{}, { bytecodeMetadata: true }]) {
    expect(qualityWith("0.4.3", settings, INTEGRITY)).toBe("full");
    expect(qualityWith("0.4.3", settings, OTHER)).toBe("partial");
  }
});

test.each([
  ["0.4.3", { bytecodeMetadata: false }],
  ["0.4.3", { bytecodeMetadata: 0 }],
  ["0.4.3", { bytecodeMetadata: null }],
  ["0.4.0", {}],
  ["0.3.9", {}],
])("what only reads as metadata is code: vyper %s with %j", (release, settings) => {
  expect(qualityWith(release, settings, INTEGRITY)).toBe("partial");
  expect(qualityWith(release, settings, OTHER)).toBeNull();
});

describe("the runtime code of vyper", () => {
  const code = compiled(bytes("6001"));
  const match = (
    onChain: string,
    ...[size, creation]: [number | undefined, CodeMatch | Mismatch | null]
  ) => matchVyperRuntimeCode(code, size, bytes(onChain), creation);
  const withImmutables = {
    quality: "partial",
    transformations: [{ type: "insert", reason: "immutable", offset: 2, id: "0" }],
    values: { immutables: { "0": "0xaabb" } },
  };

  test("is followed by as many immutables as the compiler tells", () => {
    expect(match("6001aabb", 2, null)).toEqual(withImmutables);
    expect(match("6001", 0, null)).toEqual(matched({ quality: "partial" }));
    expect(match("6001", 2, null)).toEqual({ kind: "length", compiled: 4, onChain: 2 });
    expect(match("6001aabb", 0, null)).toEqual({ kind: "length", compiled: 2, onChain: 4 });
  });

  test("where no size is told is followed by words, beside a creation code that is known", () => {
    const word = "00".repeat(31);
    for (const creation of [matched(), { kind: "empty" }] as const) {
      const found = match(`6001${word}2a`, undefined, creation);
      expect(found).toMatchObject({ values: { immutables: { "0": `0x${word}2a` } } });
      expect(match(`6001${word}`, undefined, creation)).toMatchObject({ kind: "length" });
    }
    expect(match(`6001${word}2a`, undefined, null)).toMatchObject({ kind: "length" });
    expect(match("6001", undefined, null)).toMatchObject({ quality: "partial" });
    expect(match("60", undefined, matched())).toEqual({ kind: "length", compiled: 2, onChain: 1 });
  });

  test("is equal in front of them", () => {
    expect(match("6002aabb", 2, null)).toEqual({
      kind: "bytes",
      offset: 1,
      metadataEqual: false,
    });
    expect(matchVyperRuntimeCode(compiled(bytes("")), undefined, bytes(""), null)).toEqual({
      kind: "empty",
    });
  });
});

describe("the creation code of vyper", () => {
  const creation = (onChain: string, code = CODE + tail(INTEGRITY)) =>
    matchVyperCreationCode(
      compiled(bytes(code)),
      readVyperMetadata(bytes(code)),
      bytes(onChain),
      [],
      null,
    );

  test("may have another hash of the sources, and nothing else", () => {
    const other = creation(CODE + tail(OTHER));
    expect(other).toEqual({
      quality: "partial",
      transformations: [
        { type: "replace", reason: "cborAuxdata", offset: CODE.length / 2 + 3, id: "1" },
      ],
      values: { cborAuxdata: { "1": `0x${OTHER}` } },
    });
    expect(creation(CODE + tail(OTHER).replace("1828", "1829"))).toMatchObject({ kind: "bytes" });
    expect(creation(CODE + tail(INTEGRITY))).toEqual(matched());
    expect(creation(`${CODE}00`, CODE)).toMatchObject({ kind: "constructor-arguments" });
    expect(creation("", "")).toEqual({ kind: "empty" });
  });

  test("is only compared where there is no metadata, or one of another length", () => {
    expect(creation(CODE, CODE)).toEqual(matched({ quality: "partial" }));
    const short = `8541${"bb"}18288000a165767970657283000403`;
    const padded = "00".repeat((tail(OTHER).length - short.length) / 2 - 2);
    const onChain = CODE + padded + short + (short.length / 2 + 2).toString(16).padStart(4, "0");
    expect(creation(onChain)).toMatchObject({ kind: "bytes" });
  });
});

test("immutables are those of the layout, in their order; those of modules behind the modules' names", () => {
  const [owner, fee] = [
    { type: "address", offset: 0, length: 32 },
    { type: "uint256", offset: 32, length: 32 },
  ];
  // A module may have variables of any name.
  const layout = { code_layout: { fee, access: { type: owner, offset: { type: "uint8" } } } };
  expect(immutablesIn(layout)).toEqual([
    { name: "access.type", ...owner },
    { name: "fee", ...fee },
  ]);
  expect(immutablesIn({ storage_layout: {} })).toEqual([]);
  expect(immutablesIn({ code_layout: { fee, none: null, text: "text" } })).toEqual([
    { name: "fee", ...fee },
  ]);
  expect(immutablesIn(undefined)).toBeUndefined();
});
