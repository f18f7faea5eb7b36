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

function keptSettings(language: "Solidity" | "Yul" | "Vyper", release: string, settings: object) {
  const input = { language, sources: { A: { content: "contract A {}" } }, settings };
  const format = language === "Vyper" ? "vyper-json" : "standard-json";
  const form = { format, input: JSON.stringify(input), name: "A:A", compilerVersion: release };
  const version = { release, prerelease: "", commit: "00000000" };
  return readInput(form as VerificationForm, version, null).settings;
}

/** Of no release. */
const unknown = { audit: "passed", viaIR: true, toString: 1 };

test.each([
  // These releases ignore what they do not know; 0.5.2 refuses it.
  "0.4.26",
  "0.5.1",
])("what solc %s ignores among the settings is not kept", (release) => {
  const known = { evmVersion: "byzantium", remappings: ["a/=b/"], libraries: { A: {} } };
  const { details: _, ...told } = optimizer;
  expect(keptSettings("Solidity", release, { ...known, ...unknown, optimizer })).toEqual({
    ...known,
    optimizer: told,
  });
});

test("what selects outputs or ends early is kept of no form", () => {
  const kept = { optimizer, viaIR: true, debug: { revertStrings: "strip" } };
  const settings = {
    ...kept,
    debug: { ...kept.debug, debugInfo: ["location"] },
    outputSelection: {},
    modelChecker: {},
    parserErrorRecovery: true,
    stopAfter: "parsing",
  };
  expect(keptSettings("Solidity", "0.8.28", settings)).toEqual(kept);
  const { viaIR: _, ...ofYul } = kept;
  expect(keptSettings("Yul", "0.8.28", settings)).toEqual(ofYul);
  const metadata = {
    language: "Solidity",
    compiler: { version: "0.8.28" },
    settings: { ...settings, compilationTarget: { "A.sol": "A" } },
    sources: {},
  };
  const files = [{ path: "metadata.json", text: JSON.stringify(metadata) }];
  const version = { release: "0.8.28", prerelease: "", commit: "00000000" };
  const read = readInput({ format: "metadata-files", files }, version, null).settings;
  expect(read).toEqual({ ...kept, libraries: {} });
});

test("what solc ignores beside Yul is not kept", () => {
  const settings = { viaIR: true, metadata: { bytecodeHash: "none" }, optimizer };
  expect(keptSettings("Yul", "0.8.28", settings)).toEqual({ optimizer });
});

// Keys read by `vyper/cli/vyper_json.py` of each release.
test.each([
  ["0.1.0", "evmVersion"],
  ["0.3.0", "evmVersion"],
  ["0.3.1", "evmVersion optimize"],
  ["0.3.7", "evmVersion optimize"],
  ["0.3.8", "evmVersion optimize bytecodeMetadata"],
  ["0.3.10", "evmVersion optimize bytecodeMetadata"],
  ["0.4.0", "evmVersion optimize bytecodeMetadata experimentalCodegen search_paths"],
  [
    "0.4.1",
    "evmVersion optimize bytecodeMetadata experimentalCodegen search_paths venom enable_decimals debug",
  ],
  [
    "0.4.2",
    "evmVersion optimize bytecodeMetadata experimentalCodegen search_paths venomExperimental enable_decimals debug",
  ],
  [
    "0.4.3",
    "evmVersion optimize bytecodeMetadata experimentalCodegen search_paths venomExperimental enable_decimals debug",
  ],
])("what vyper %s ignores among the settings is not kept", (release, known) => {
  const everything = {
    evmVersion: "cancun",
    optimize: true,
    bytecodeMetadata: true,
    experimentalCodegen: true,
    search_paths: ["."],
    venom: true,
    venomExperimental: true,
    enable_decimals: true,
    debug: true,
    ...unknown,
  };
  const kept = Object.keys(keptSettings("Vyper", release, everything));
  expect(kept.sort()).toEqual(known.split(" ").sort());
});

test.each([
  [
    "0.3.9",
    { optimize: "none", bytecodeMetadata: "no" },
    { optimize: true, bytecodeMetadata: true },
  ],
  ["0.3.9", { optimize: null, bytecodeMetadata: 0 }, { optimize: false, bytecodeMetadata: false }],
  ["0.3.9", { optimize: [], bytecodeMetadata: {} }, { optimize: false, bytecodeMetadata: false }],
  [
    "0.3.10",
    { optimize: "none", bytecodeMetadata: [0] },
    { optimize: "none", bytecodeMetadata: true },
  ],
  ["0.4.0", { experimentalCodegen: "no" }, { experimentalCodegen: true }],
  ["0.4.1", { experimentalCodegen: "no" }, { experimentalCodegen: "no" }],
])("what vyper %s takes for true or false is kept as that: %j", (release, sent, kept) => {
  expect(keptSettings("Vyper", release, sent)).toEqual(kept);
});

test.each([
  ["0.4.0", undefined],
  ["0.4.1", { A: { first: {}, second: {} } }],
  ["0.4.2", { A: { first: {} } }],
])("what vyper %s reads of other layouts of the storage is kept", (release, kept) => {
  const input = {
    language: "Vyper",
    sources: { A: { content: "" } },
    interfaces: {},
    storage_layout_overrides: { A: { first: {}, second: {} } },
  };
  const form: VerificationForm = {
    format: "vyper-json",
    input: JSON.stringify(input),
    name: "A:A",
    compilerVersion: release,
  };
  const { rest } = readInput(form, { release, prerelease: "", commit: "00000000" }, null);
  expect(rest).toEqual({ interfaces: {}, ...(kept && { storage_layout_overrides: kept }) });
});
