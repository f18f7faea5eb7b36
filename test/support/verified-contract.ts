import type { Sql } from "../../src/db/client.ts";
import {
  type SourceFile,
  saveVerifiedContract,
  type VerifiedContractRow,
} from "../../src/store/contracts/verified/verified-contract.ts";
import { blockHash, wordAt } from "./build.ts";

/** A verified contract with defaults, without a creation in the index. */
export function verifiedContract(
  fields: Partial<VerifiedContractRow> & Pick<VerifiedContractRow, "address">,
): VerifiedContractRow {
  return {
    codeHash: wordAt(1),
    creationTransaction: null,
    creationCodeHash: null,
    blockNumber: 1,
    blockHash: blockHash(1),
    runtimeMatch: "full",
    creationMatch: "full",
    language: "Solidity",
    format: "standard-json",
    compilerVersion: "v0.8.28+commit.7893614a",
    evmVersion: null,
    optimizerEnabled: true,
    optimizerRuns: 200,
    license: null,
    filePath: "src/Ledger.sol",
    contractName: "Ledger",
    settings: '{"optimizer":{"enabled":true,"runs":200}}',
    libraries: [],
    constructorArguments: "0x",
    abi: '[{"type":"function","name":"total","inputs":[],"outputs":[],"stateMutability":"view"}]',
    metadata: "{}",
    metadataUri: "",
    outputs: "{}",
    methods: { "2ddbd13a": "total()" },
    compilation: "{}",
    furtherInput: "{}",
    sourceIds: "{}",
    creationSourceMap: null,
    runtimeSourceMap: null,
    fingerprint: null,
    proof: {
      construction: "unknown",
      immutables: null,
      values: [],
      runtimeCode: "compiled",
      run: null,
      libraries: [],
    },
    ...fields,
  };
}

/** Stores it; returns whether it was. */
export async function save(
  sql: Sql,
  fields: Parameters<typeof verifiedContract>[0],
  sources: SourceFile[] = [{ path: "src/Ledger.sol", text: "contract Ledger {}" }],
): Promise<boolean> {
  const outcome = await sql.begin((transaction) =>
    saveVerifiedContract(transaction, verifiedContract(fields), sources).then(
      (saved) => saved === "stored",
    ),
  );
  return outcome;
}
