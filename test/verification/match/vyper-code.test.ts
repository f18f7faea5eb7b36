import { expect, test } from "vitest";
import {
  matchVyperContract,
  qualityOf,
  readContract,
} from "../../../src/verification/match/contract-match.ts";
import { addressAt } from "../../support/build.ts";

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
function matched(release: string, settings: Record<string, unknown>, onChain: string) {
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
    expect(matched("0.4.3", settings, INTEGRITY)).toBe("full");
    expect(matched("0.4.3", settings, OTHER)).toBe("partial");
  }
});

test.each([
  ["0.4.3", { bytecodeMetadata: false }],
  ["0.4.3", { bytecodeMetadata: 0 }],
  ["0.4.3", { bytecodeMetadata: null }],
  ["0.4.0", {}],
  ["0.3.9", {}],
])("what only reads as metadata is code: vyper %s with %j", (release, settings) => {
  expect(matched(release, settings, INTEGRITY)).toBe("partial");
  expect(matched(release, settings, OTHER)).toBeNull();
});
