import { describe, expect, test } from "vitest";
import { LICENSES, sourceRecord } from "../../../../src/api/explorer/present/verified-contract.ts";
import type { VerifiedContract } from "../../../../src/store/contracts/verified/verified-contract.ts";

// The two sets of fields of getsourcecode, which strict clients never take together.

const [ADDRESS, PROXY, LIBRARY] = ["52", "0b", "3c"].map(
  (byte) => `0x${byte.repeat(20)}` as const,
) as [`0x${string}`, `0x${string}`, `0x${string}`];
const SETTINGS = { optimizer: { enabled: true, runs: 200 }, evmVersion: "cancun" };
const MAIN = { path: "src/Ledger.sol", text: "contract Ledger {}" };
const [FIRST, LAST] = [
  { path: "src/A.sol", text: "interface A {}" },
  { path: "src/Z.sol", text: "interface Z {}" },
];

const ledger = {
  address: ADDRESS,
  language: "Solidity",
  format: "standard-json",
  compilerVersion: "v0.8.24+commit.e11b9ed9",
  evmVersion: "cancun",
  optimizerEnabled: true,
  optimizerRuns: 200,
  license: 3,
  filePath: MAIN.path,
  contractName: "Ledger",
  settings: JSON.stringify(SETTINGS),
  furtherInput: "{}",
  libraries: [{ name: "MathLib", address: LIBRARY }],
  constructorArguments: "0x2a",
  abi: "[]",
  metadataUri: "ipfs://Qm",
  sources: [LAST, MAIN, FIRST],
} as unknown as VerifiedContract;

function blockscout(fields: Partial<VerifiedContract> = {}, implementations = [PROXY]) {
  return sourceRecord.blockscout.present({
    address: ADDRESS,
    contract: { ...ledger, ...fields } as VerifiedContract,
    implementations,
  });
}

function etherscan(fields: Partial<VerifiedContract> = {}, implementations = [PROXY]) {
  return sourceRecord.etherscan.present({
    address: ADDRESS,
    contract: { ...ledger, ...fields } as VerifiedContract,
    implementations,
  });
}

describe("in Blockscout's dialect", () => {
  test("a contract that is not verified has its address only", () => {
    const answer = { address: ADDRESS, contract: undefined, implementations: [PROXY] };
    expect(sourceRecord.blockscout.present(answer)).toEqual({ Address: ADDRESS });
  });

  test("a verified one has its main file, and the others by path", () => {
    expect(blockscout()).toEqual({
      Address: ADDRESS,
      SourceCode: MAIN.text,
      ABI: "[]",
      ContractName: "Ledger",
      CompilerVersion: "v0.8.24+commit.e11b9ed9",
      OptimizationUsed: "true",
      OptimizationRuns: 200,
      EVMVersion: "cancun",
      FileName: MAIN.path,
      IsProxy: "true",
      ImplementationAddress: PROXY,
      ImplementationAddresses: [PROXY],
      ConstructorArguments: "2a",
      ExternalLibraries: [{ name: "MathLib", address_hash: LIBRARY }],
      AdditionalSources: [
        { Filename: FIRST.path, SourceCode: FIRST.text },
        { Filename: LAST.path, SourceCode: LAST.text },
      ],
      CompilerSettings: SETTINGS,
    });
  });

  test.each(["flattened", "vyper"])(
    "one of a single file (%s) has no name of it, no settings",
    (format) => {
      const record = blockscout({ format, sources: [MAIN] });
      expect(record).toMatchObject({ FileName: "", SourceCode: MAIN.text });
      expect(record).not.toHaveProperty("CompilerSettings");
      expect(record).not.toHaveProperty("AdditionalSources");
    },
  );

  test("what there is nothing of is left out", () => {
    const record = blockscout({ libraries: [], constructorArguments: "0x", evmVersion: null }, []);
    expect(record).toMatchObject({ IsProxy: "false", EVMVersion: "default" });
    for (const name of [
      "ImplementationAddress",
      "ImplementationAddresses",
      "ConstructorArguments",
      "ExternalLibraries",
    ]) {
      expect(record).not.toHaveProperty(name);
    }
    expect(blockscout({ constructorArguments: null })).not.toHaveProperty("ConstructorArguments");
  });

  test.each([
    [{ optimizerEnabled: false }, "false", undefined],
    [{ optimizerEnabled: null }, "false", undefined],
    [{ optimizerEnabled: null, language: "Vyper" }, "true", 200],
    [{ optimizerEnabled: true, optimizerRuns: null }, "true", undefined],
  ])("the optimiser with %o", (fields, used, runs) => {
    const record = blockscout(fields) as { OptimizationUsed?: string; OptimizationRuns?: number };
    expect([record.OptimizationUsed, record.OptimizationRuns]).toEqual([used, runs]);
  });

  test("a main file that is not among the sources is empty", () => {
    expect(blockscout({ filePath: "gone.sol" })).toMatchObject({ SourceCode: "" });
  });
});

describe("in Etherscan's dialect", () => {
  test("a contract that is not verified has every key all the same", () => {
    const answer = { address: ADDRESS, contract: undefined, implementations: [PROXY] };
    expect(sourceRecord.etherscan.present(answer)).toEqual({
      SourceCode: "",
      ABI: "Contract source code not verified",
      ContractName: "",
      CompilerVersion: "",
      OptimizationUsed: "",
      Runs: "",
      ConstructorArguments: "",
      EVMVersion: "Default",
      Library: "",
      LicenseType: "Unknown",
      Proxy: "0",
      Implementation: "",
      SwarmSource: "",
      SimilarMatch: "",
    });
  });

  test("a verified one has the compiler's whole input in one more pair of braces", () => {
    const { SourceCode, ...rest } = etherscan();
    expect(SourceCode).toMatch(/^\{\{.*\}\}$/s);
    expect(JSON.parse(SourceCode.slice(1, -1))).toEqual({
      language: "Solidity",
      sources: Object.fromEntries(
        [LAST, MAIN, FIRST].map(({ path, text }) => [path, { content: text }]),
      ),
      settings: SETTINGS,
    });
    expect(rest).toEqual({
      ABI: "[]",
      ContractName: "Ledger",
      CompilerVersion: "v0.8.24+commit.e11b9ed9",
      OptimizationUsed: "1",
      Runs: "200",
      ConstructorArguments: "2a",
      EVMVersion: "cancun",
      Library: `MathLib:${"3c".repeat(20)}`,
      LicenseType: "MIT",
      Proxy: "1",
      Implementation: PROXY,
      SwarmSource: "ipfs://Qm",
      SimilarMatch: "",
    });
  });

  test.each(["flattened", "vyper"])("one of a single file (%s) is that text", (format) => {
    expect(etherscan({ format }).SourceCode).toBe(MAIN.text);
  });

  test("libraries stand in one text", () => {
    const libraries = [
      { name: "A", address: LIBRARY },
      { name: "B", address: PROXY },
    ];
    expect(etherscan({ libraries }).Library).toBe(`A:${"3c".repeat(20)};B:${"0b".repeat(20)}`);
    expect(etherscan({ libraries: [] }).Library).toBe("");
  });

  test.each([
    [{ optimizerEnabled: false }, "0", "0"],
    [{ optimizerEnabled: null }, "0", "0"],
    [{ optimizerEnabled: null, language: "Vyper", optimizerRuns: null }, "1", "0"],
  ])("the optimiser with %o", (fields, used, runs) => {
    const { OptimizationUsed, Runs } = etherscan(fields);
    expect([OptimizationUsed, Runs]).toEqual([used, runs]);
  });

  test("a Vyper's version has another form", () => {
    const fields = { language: "Vyper", compilerVersion: "v0.3.10+commit.91361694" };
    expect(etherscan(fields).CompilerVersion).toBe("vyper:0.3.10");
  });

  test.each([
    [null, ""],
    [1, "None"],
    [3, "MIT"],
    [14, "BSL 1.1"],
    [99, "None"],
  ])("licence %s", (license, text) => {
    expect(etherscan({ license }).LicenseType).toBe(text);
    expect(LICENSES).toHaveLength(14);
  });

  test("no proxy, no version of the EVM, no arguments", () => {
    const record = etherscan({ evmVersion: null, constructorArguments: null }, []);
    expect(record).toMatchObject({
      Proxy: "0",
      Implementation: "",
      EVMVersion: "Default",
      ConstructorArguments: "",
    });
  });
});
