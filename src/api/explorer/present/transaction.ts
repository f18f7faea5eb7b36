import { z } from "zod";
import { type ListedTransaction, selectorOf } from "../call-names.ts";
import * as wire from "../wire.ts";
import { defineRecord } from "./record.ts";

/** The L1 fee of a transaction. */
export const l1FeesPaid = wire.decimalOrEmpty.describe(
  "Wei for the transaction's data on L1, on rollups only; empty while its receipt is still to be read",
);

// Without a trace, and before receipts had a status, Blockscout counts a transaction as failed.
const blockscout = defineRecord<ListedTransaction>("BlockscoutTransaction", (row) => [
  row.blockNumber,
  row.transactionIndex,
])({
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
});

/** A transaction in a list. */
export const transaction = {
  blockscout,
  etherscan: defineRecord(
    "EtherscanTransaction",
    blockscout.keyOf,
  )({
    ...blockscout.fields,
    isError: [z.string().regex(/^[01]$/), ({ succeeded }) => (succeeded === false ? "1" : "0")],
    txreceipt_status: [
      z.string().regex(/^[01]?$/),
      ({ status, succeeded }) => (status === null ? "" : succeeded === false ? "0" : "1"),
    ],
    functionName: [z.string(), ({ call }) => call?.functionName ?? ""],
    L1FeesPaid: [l1FeesPaid.optional(), (row) => row.l1Fee],
  }),
};
