import { z } from "zod";
import type { InternalTransactionEntry } from "../../../store/lists/internal-transactions.ts";
import type { TokenStandard, TokenTransferEntry } from "../../../store/lists/token-transfers.ts";
import { type CallName, type ListedTransaction, selectorOf } from "../call-names.ts";
import * as wire from "../wire.ts";

/** The L1 fee of a transaction, or of a block's transactions. */
export const l1FeesPaid = wire.decimalOrEmpty.describe(
  "Wei for the data on L1, on rollups only; empty while receipts are still to be read",
);

/** A transaction in a list. Without a trace, and before receipts had a status, Blockscout counts it as failed. */
export const transaction = wire.defineRecords<ListedTransaction>(
  (row) => [row.blockNumber, row.transactionIndex],
  "Transaction",
)({
  both: {
    blockNumber: [wire.decimal, (row) => String(row.blockNumber)],
    timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
    hash: [wire.hash, (row) => row.hash],
    nonce: [wire.decimal, (row) => row.nonce],
    blockHash: [wire.hash, (row) => row.blockHash],
    transactionIndex: [wire.decimal, (row) => String(row.transactionIndex)],
    from: [wire.address, (row) => row.from],
    to: [wire.addressOrEmpty, (row) => row.to ?? ""],
    value: [wire.decimal, (row) => row.value],
    gas: [wire.decimal, (row) => row.gas],
    gasPrice: [wire.decimal, (row) => row.gasPrice],
    isError: [z.string().regex(/^[01]$/), ({ succeeded }) => (succeeded ? "0" : "1")],
    txreceipt_status: [z.string().regex(/^[01]$/), ({ succeeded }) => (succeeded ? "1" : "0")],
    input: [wire.data, (row) => row.input],
    contractAddress: [wire.addressOrEmpty, (row) => row.createdContract ?? ""],
    cumulativeGasUsed: [wire.decimal, (row) => row.cumulativeGasUsed],
    gasUsed: [wire.decimal, (row) => row.gasUsed],
    confirmations: [wire.decimal, (row) => String(row.confirmations)],
    methodId: [wire.data, (row) => selectorOf(row) ?? "0x"],
  },
  etherscan: {
    isError: [z.string().regex(/^[01]$/), ({ succeeded }) => (succeeded === false ? "1" : "0")],
    txreceipt_status: [
      z.string().regex(/^[01]?$/),
      ({ status, succeeded }) => (status === null ? "" : succeeded === false ? "0" : "1"),
    ],
    functionName: [z.string(), ({ call }) => call?.functionName ?? ""],
    L1FeesPaid: [l1FeesPaid.optional(), (row) => row.l1Fee],
  },
});

/** Error of an entry that succeeded itself but was rolled back, in the reference's words. */
const PARENT_REVERTED = "Parent reverted";

const isCreation = ({ type }: InternalTransactionEntry) => type === "create" || type === "create2";

/** An entry, with the called function's name if asked for. */
type ListedFrame = InternalTransactionEntry & { functionName?: string | undefined };

/** An internal transaction in a list. */
export const internalTransaction = wire.defineRecords<ListedFrame>(
  (row) => [row.blockNumber, row.transactionIndex, row.position],
  "InternalTransaction",
)({
  both: {
    blockNumber: [wire.decimal, (row) => String(row.blockNumber)],
    timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
    from: [wire.address, (row) => row.from],
    to: [wire.addressOrEmpty, (row) => (isCreation(row) ? "" : (row.to ?? ""))],
    value: [wire.decimal, (row) => row.value],
    contractAddress: [wire.addressOrEmpty, (row) => row.createdContract ?? ""],
    transactionHash: [wire.hash, (row) => row.transactionHash],
    index: [wire.decimal, (row) => String(row.position)],
    input: [
      z.string().regex(/^(0x([0-9a-f]{2})*)?$/),
      // Empty also for a call whose input was dropped.
      (row) => (isCreation(row) ? "" : (row.input ?? "")),
    ],
    type: [z.string(), (row) => row.type],
    callType: [z.string(), (row) => row.callType ?? ""],
    gas: [wire.decimal, (row) => row.gas ?? "0"],
    gasUsed: [wire.decimalOrEmpty, (row) => row.gasUsed ?? ""],
    isError: [wire.flag, ({ effective }) => (effective ? "0" : "1")],
    errCode: [z.string(), ({ error, effective }) => error ?? (effective ? "" : PARENT_REVERTED)],
    functionName: [
      z.string().optional().describe("With `names` only; empty where no ABI has it"),
      (row) => row.functionName,
    ],
  },
  etherscan: {
    gasUsed: [wire.decimal, (row) => row.gasUsed ?? "0"],
    hash: [wire.hash, (row) => row.transactionHash],
    traceId: [z.string().regex(/^(\d+(_\d+)*)?$/), ({ traceAddress }) => traceAddress.join("_")],
  },
});

/** A transfer, with the call of its transaction. */
type ListedTransfer = TokenTransferEntry & { call: CallName | undefined };
const tokenID = [wire.decimal, (row: ListedTransfer) => row.tokenId ?? ""] as const;
const value = [wire.decimal, (row: ListedTransfer) => row.amount ?? "0"] as const;
const AMOUNTS: Readonly<
  Record<TokenStandard, wire.Fields<ListedTransfer, Record<string, z.ZodString>>>
> = {
  20: { value },
  404: { tokenID: [wire.decimalOrEmpty, tokenID[1]], value },
  721: { tokenID },
  1155: { tokenID, tokenValue: value },
};

/** Returns the record of a transfer of a standard; its amounts stand among the other fields. */
export function tokenTransferOf(standard: TokenStandard) {
  const unknownDecimals = standard === 721 ? "0" : "";
  return wire.defineRecords<ListedTransfer>(
    (row) => [row.blockNumber, row.logIndex, row.batchIndex],
    `Erc${standard}Transfer`,
  )({
    both: {
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
    },
    etherscan: {
      tokenName: [z.string(), (row) => row.tokenName ?? ""],
      tokenSymbol: [z.string(), (row) => row.tokenSymbol ?? ""],
      tokenDecimal: [wire.decimalOrEmpty, (row) => String(row.tokenDecimals ?? unknownDecimals)],
      methodId: [SELECTOR, ({ call }) => call?.selector ?? ""],
      logIndex: [wire.decimal, (row) => String(row.logIndex)],
    },
  });
}

const SELECTOR = z.string().regex(/^(0x)?([0-9a-f]{8})?$/);
