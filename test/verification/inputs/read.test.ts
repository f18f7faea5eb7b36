import { expect, test } from "vitest";
import { readInput } from "../../../src/verification/inputs/read.ts";
import type { VerificationForm } from "../../../src/verification/request.ts";

const optimizer = { enabled: true, runs: 200, details: { inliner: true, cse: true } };

function settingsOf(form: VerificationForm, release: string) {
  const version = { release, prerelease: "", commit: "00000000" };
  return readInput(form, version, null).settings["optimizer"];
}

test.each([
  ["0.8.1", optimizer.details],
  ["0.8.2", { cse: true }],
  ["0.8.4", { cse: true }],
  ["0.8.5", optimizer.details],
])(
  "what solc %s writes into metadata and refuses is left out of every form",
  (release, details) => {
    const compiler = { version: `${release}+commit.00000000` };
    const standardJson = {
      language: "Solidity",
      sources: { "A.sol": { content: "contract A {}" } },
      settings: { optimizer },
    };
    const metadata = {
      language: "Solidity",
      compiler,
      settings: { optimizer, compilationTarget: { "A.sol": "A" } },
      sources: {},
    };
    expect(
      settingsOf(
        {
          format: "standard-json",
          input: JSON.stringify(standardJson),
          name: "A.sol:A",
          compilerVersion: release,
        },
        release,
      ),
    ).toEqual({ ...optimizer, details });
    const files = [{ path: "metadata.json", text: JSON.stringify(metadata) }];
    expect(settingsOf({ format: "metadata-files", files }, release)).toEqual({
      ...optimizer,
      details,
    });
  },
);

test.each([true, false])(
  "details without a word about the optimizer are of one that is on as the inliner is: %s",
  (inliner) => {
    const told = { runs: 200, details: { inliner, cse: true } };
    const input = {
      language: "Solidity",
      sources: { "A.sol": { content: "contract A {}" } },
      settings: { optimizer: told },
    };
    const form: VerificationForm = {
      format: "standard-json",
      input: JSON.stringify(input),
      name: "A.sol:A",
      compilerVersion: "0.8.3",
    };
    expect(settingsOf(form, "0.8.3")).toEqual({
      enabled: inliner,
      runs: 200,
      details: { cse: true },
    });
  },
);

test.each([
  ["0.3.10", "Vyper"],
  ["0.4.3", "Vyper"],
  // These releases, too, ignore what they do not know; 0.5.2 refuses it.
  ["0.4.26", "Solidity"],
  ["0.5.1", "Solidity"],
])("what %s of %s ignores among the settings is not kept", (release, language) => {
  const known =
    language === "Vyper"
      ? { evmVersion: "cancun", optimize: "gas", experimentalCodegen: true, search_paths: ["."] }
      : { evmVersion: "byzantium", optimizer, remappings: ["a/=b/"], libraries: { A: {} } };
  const input = {
    language,
    sources: { A: { content: "contract A {}" } },
    settings: { ...known, audit: "passed", viaIR: true, toString: 1 },
  };
  const rest = { input: JSON.stringify(input), name: "A:A", compilerVersion: release };
  const format = language === "Vyper" ? "vyper-json" : "standard-json";
  const version = { release, prerelease: "", commit: "00000000" };
  const { details: _, ...told } = optimizer;
  expect(readInput({ format, ...rest }, version, null).settings).toEqual({
    ...known,
    ...(language === "Solidity" && { optimizer: told }),
  });
});
