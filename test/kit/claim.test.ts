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
