import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/verification/process/worker-process.ts";
import { compileStandardJson } from "../compile.ts";
import { neverEnding } from "../hostile-sources.ts";

// A compile that does not end is ended, and under the same bounds an honest one is done.

const limits = { ...DEFAULT_LIMITS, memoryBytes: 500 * 2 ** 20 };

function input(source: string): object {
  return {
    language: "Solidity",
    sources: { "Note.sol": { content: source } },
    settings: {
      viaIR: false,
      outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
    },
  };
}

test("a source that takes all the memory there is ends at the bound", async () => {
  await expect(compileStandardJson(input(neverEnding("Note")), { limits })).rejects.toMatchObject({
    failure: { code: "compiler-limit", limit: "memory" },
  });
});

test("an honest source compiles under the same bound", async () => {
  const source = "pragma solidity ^0.8.0; contract Note { uint256 public mark; }";
  expect(await compileStandardJson(input(source), { limits })).toHaveProperty([
    "contracts",
    "Note.sol",
    "Note",
  ]);
});
