import { expect, test } from "vitest";
import { claimOf } from "../../src/kit/claim.ts";

const blockscout = {
  ContractName: "Vault",
  CompilerVersion: "v0.3.10+commit.91361694",
  OptimizationUsed: "true",
  EVMVersion: "default",
  FileName: "",
};
const etherscan = { ContractName: "Vault", CompilerVersion: "vyper:0.3.10", OptimizationUsed: "1" };

function inputOf(answer: object) {
  const { codeformat, sourceCode = "" } = claimOf(answer) ?? {};
  expect(codeformat).toBe("vyper-json");
  return JSON.parse(sourceCode);
}

test.each([
  "total: public(uint256)",
  "# @version 0.3.10\n@external\ndef put(amount: uint256):\n    pass\n",
  "interface Total:\n    def total() -> uint256: view\n\n# {",
])("one file of vyper is vyper's, though the form does not name the language: %j", (SourceCode) => {
  const sources = { "Vault.vy": { content: SourceCode } };
  expect(inputOf({ ...blockscout, SourceCode })).toEqual({
    language: "Vyper",
    sources,
    settings: {},
  });
  expect(inputOf({ ...etherscan, SourceCode, EVMVersion: "Shanghai" })).toEqual({
    language: "Vyper",
    sources,
    settings: { evmVersion: "shanghai" },
  });
});

test.each([
  "contract Vault { uint x; }",
  "pragma solidity ^0.4.0;\n/* contract: */ contract /* of: */ Vault {}",
  "abstract contract Vault is A(1, 2),\n  B.C\n{}",
  "library Vault{}",
])("one file of Solidity is Solidity's: %j", (SourceCode) => {
  expect(claimOf({ ...blockscout, SourceCode })).toMatchObject({
    codeformat: "solidity-single-file",
    sourceCode: SourceCode,
    contractname: "Vault",
  });
});

test("what vyper imports stands where its release looks for it", () => {
  const answer = {
    ...blockscout,
    SourceCode: "import ITotal as ITotal",
    FileName: "src/Vault.vy",
    CompilerSettings: { evmVersion: "paris" },
    AdditionalSources: [
      { Filename: "ITotal.vy", SourceCode: "@external" },
      { Filename: "IDeeper.json", SourceCode: '{"abi":[]}' },
    ],
  };
  const main = { "src/Vault.vy": { content: "import ITotal as ITotal" } };
  const ITotal = { "ITotal.vy": { content: "@external" } };
  const IDeeper = { "IDeeper.json": { abi: [] } };
  const common = { language: "Vyper", settings: { evmVersion: "paris" } };
  expect(inputOf(answer)).toEqual({
    ...common,
    sources: main,
    interfaces: { ...ITotal, ...IDeeper },
  });
  expect(inputOf({ ...answer, CompilerVersion: "v0.4.0+commit.e9db8d9" })).toEqual({
    ...common,
    sources: { ...main, ...ITotal },
    interfaces: IDeeper,
  });
  expect(claimOf(answer)).toMatchObject({ contractname: "src/Vault.vy:Vault" });
});

test("a name without an end costs no more than its length", () => {
  const SourceCode = `contract ${"a".repeat(1_000_000)}`;
  const start = performance.now();
  expect(claimOf({ ...blockscout, SourceCode })).toBeDefined();
  expect(performance.now() - start).toBeLessThan(1000);
});

const fromSourcify = {
  ...blockscout,
  CompilerVersion: "v0.8.37+commit.f401782d",
  SourceCode: 'pragma solidity ^0.8.0; import "./Lid.sol"; contract Vault is Lid {}',
  FileName: "src/Vault.sol",
  AdditionalSources: [{ Filename: "/src/Lid.sol", SourceCode: "contract Lid {}" }],
};

test("what Blockscout has from Sourcify is what was compiled, not what metadata says of it", () => {
  const { sourceCode = "", contractname } =
    claimOf({
      ...fromSourcify,
      CompilerSettings: {
        compilationTarget: { "src/Vault.sol": "Vault" },
        libraries: { "src/Sum.sol:Sum": "0x11", Product: "0x22", "__proto__:Sum": "0x33" },
        optimizer: { enabled: true, runs: 7 },
      },
    }) ?? {};
  expect(contractname).toBe("src/Vault.sol:Vault");
  expect(JSON.parse(sourceCode)).toEqual({
    language: "Solidity",
    sources: {
      "src/Vault.sol": { content: fromSourcify.SourceCode },
      "src/Lid.sol": { content: "contract Lid {}" },
    },
    settings: {
      libraries: {
        "src/Sum.sol": { Sum: "0x11" },
        "": { Product: "0x22" },
        ["__proto__"]: { Sum: "0x33" },
      },
      optimizer: { enabled: true, runs: 7 },
    },
  });
});

test("files keep their slash where the target has one, and where nothing came from Sourcify", () => {
  for (const CompilerSettings of [{ compilationTarget: { "/src/Vault.sol": "Vault" } }, {}]) {
    const { sourceCode = "" } = claimOf({ ...fromSourcify, CompilerSettings }) ?? {};
    expect(Object.keys(JSON.parse(sourceCode).sources)).toContain("/src/Lid.sol");
  }
});

test.each([
  ["0", "0", "200"],
  ["0", "7", "7"],
  ["1", "0", "0"],
])("optimised %s with %s runs is compiled with %s", (OptimizationUsed, Runs, runs) => {
  const flattened = { ...etherscan, CompilerVersion: "v0.8.37", SourceCode: "contract Vault {}" };
  expect(claimOf({ ...flattened, OptimizationUsed, Runs })).toMatchObject({ runs });
});
