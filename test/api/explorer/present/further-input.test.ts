import { expect, test } from "vitest";
import { sourceRecord } from "../../../../src/api/explorer/present/verified-contract.ts";
import { addressAt } from "../../../support/build.ts";
import { verifiedContract } from "../../../support/verified-contract.ts";

const further = {
  interfaces: {
    "ITotal.vy": { content: "@external" },
    "IDeeper.json": { abi: [{ type: "fallback" }] },
  },
  storage_layout_overrides: { "Vault.vy": { total: { type: "uint256", slot: 7 } } },
};
const sources = [{ path: "Vault.vy", text: "import ITotal as ITotal" }];
const address = addressAt(1);
const contract = {
  ...verifiedContract({
    address,
    language: "Vyper",
    format: "vyper-json",
    filePath: "Vault.vy",
    settings: "{}",
    furtherInput: JSON.stringify(further),
  }),
  verifiedAtSeconds: 1,
  sources,
};

test("what vyper was given beside the sources is shown", () => {
  const answer = { address, contract, implementations: [] };
  expect(sourceRecord.blockscout.present(answer)).toMatchObject({
    SourceCode: "import ITotal as ITotal",
    AdditionalSources: [
      { Filename: "IDeeper.json", SourceCode: '{"abi":[{"type":"fallback"}]}' },
      { Filename: "ITotal.vy", SourceCode: "@external" },
    ],
  });
  expect(JSON.parse(sourceRecord.etherscan.present(answer).SourceCode.slice(1, -1))).toEqual({
    language: "Vyper",
    sources: { "Vault.vy": { content: "import ITotal as ITotal" } },
    ...further,
    settings: {},
  });
});
