import { z } from "zod";
import type { TokenStandard, TokenTransferEntry } from "../../../store/lists/token-transfers.ts";
import type { CallName } from "../call-names.ts";
import * as wire from "../wire.ts";
import { defineRecord, type Fields } from "./record.ts";

/** A transfer, with the call of its transaction. */
type Listed = TokenTransferEntry & { call: CallName | undefined };
const tokenID = [wire.decimal, (row: Listed) => row.tokenId ?? ""] as const;
const value = [wire.decimal, (row: Listed) => row.amount ?? "0"] as const;
const AMOUNTS: Readonly<Record<TokenStandard, Fields<Listed, Record<string, z.ZodString>>>> = {
  20: { value },
  404: { tokenID: [wire.decimalOrEmpty, tokenID[1]], value },
  721: { tokenID },
  1155: { tokenID, tokenValue: value },
};

/** Returns the record of a transfer of a standard; its amounts stand among the other fields. */
export function tokenTransferOf(standard: TokenStandard) {
  const blockscout = defineRecord<Listed>(`BlockscoutErc${standard}Transfer`, (row) => [
    row.blockNumber,
    row.logIndex,
    row.batchIndex,
  ])({
    blockNumber: [wire.decimal, (row) => String(row.blockNumber)],
    timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
    hash: [wire.hash, (row) => row.transactionHash],
    nonce: [wire.decimal, (row) => row.nonce],
    blockHash: [wire.hash, (row) => row.blockHash],
    from: [wire.address, (row) => row.from],
    contractAddress: [wire.address, (row) => row.token],
    to: [wire.address, (row) => row.to],
    ...AMOUNTS[standard],
    tokenName: [z.string().nullable(), (row) => row.tokenName],
    tokenSymbol: [z.string().nullable(), (row) => row.tokenSymbol],
    tokenDecimal: [wire.decimalOrEmpty, (row) => String(row.tokenDecimals ?? "")],
    transactionIndex: [wire.decimal, (row) => String(row.transactionIndex)],
    gas: [wire.decimal, (row) => row.gas],
    gasPrice: [wire.decimal, (row) => row.gasPrice],
    gasUsed: [wire.decimal, (row) => row.gasUsed],
    cumulativeGasUsed: [wire.decimal, (row) => row.cumulativeGasUsed],
    input: [wire.data, (row) => row.input],
    confirmations: [wire.decimal, (row) => String(row.confirmations)],
    methodId: [SELECTOR, ({ call }) => call?.selector.slice(2) ?? ""],
    functionName: [z.string(), ({ call }) => call?.functionName ?? ""],
  });
  const unknownDecimals = standard === 721 ? "0" : "";
  const etherscan = defineRecord(
    `EtherscanErc${standard}Transfer`,
    blockscout.keyOf,
  )({
    ...blockscout.fields,
    tokenName: [z.string(), (row) => row.tokenName ?? ""],
    tokenSymbol: [z.string(), (row) => row.tokenSymbol ?? ""],
    tokenDecimal: [wire.decimalOrEmpty, (row) => String(row.tokenDecimals ?? unknownDecimals)],
    methodId: [SELECTOR, ({ call }) => call?.selector ?? ""],
    logIndex: [wire.decimal, (row) => String(row.logIndex)],
  });
  return { blockscout, etherscan };
}

const SELECTOR = z.string().regex(/^(0x)?([0-9a-f]{8})?$/);
