import { z } from "zod";
import type { TransactionEntry } from "../../store/address-transactions.ts";
import { type CallName, selectorOf } from "../call-names.ts";
import type { Dialect } from "../envelope.ts";
import * as wire from "../wire.ts";

const record = z.object({
  blockNumber: wire.decimal,
  timeStamp: wire.decimal,
  hash: wire.hash,
  nonce: wire.decimal,
  blockHash: wire.hash,
  transactionIndex: wire.decimal,
  from: wire.address,
  to: wire.addressOrEmpty,
  value: wire.decimal,
  gas: wire.decimal,
  gasPrice: wire.decimal,
  isError: z.string().regex(/^[01]$/),
  txreceipt_status: z.string().regex(/^[01]$/),
  input: wire.data,
  contractAddress: wire.addressOrEmpty,
  cumulativeGasUsed: wire.decimal,
  gasUsed: wire.decimal,
  confirmations: wire.decimal,
  methodId: wire.data,
});

/** A transaction in a list. */
export const transactionRecord = {
  blockscout: record,
  etherscan: record.extend({
    txreceipt_status: z.string().regex(/^[01]?$/),
    functionName: z.string(),
  }),
};

/** The record of a transaction. What it calls is shown in Etherscan's dialect only. */
export function presentTransaction(
  row: TransactionEntry,
  dialect: Dialect,
  call: CallName | undefined,
): z.output<typeof record> {
  return {
    blockNumber: String(row.blockNumber),
    timeStamp: String(row.timestampSeconds),
    hash: row.hash,
    nonce: row.nonce,
    blockHash: row.blockHash,
    transactionIndex: String(row.transactionIndex),
    from: row.from,
    to: row.to ?? "",
    value: row.value,
    gas: row.gas,
    gasPrice: row.gasPrice,
    ...presentStatus(row.status, dialect),
    input: row.input,
    contractAddress: row.createdContract ?? "",
    cumulativeGasUsed: row.cumulativeGasUsed,
    gasUsed: row.gasUsed,
    confirmations: String(row.confirmations),
    methodId: selectorOf(row) ?? "0x",
    ...(dialect === "etherscan" && { functionName: call?.functionName ?? "" }),
  };
}

/** Receipts had no status before Byzantium: the reference counts them as failed, Etherscan as neither. */
function presentStatus(status: number | null, dialect: Dialect) {
  if (status === 1) return { isError: "0", txreceipt_status: "1" };
  return status === null && dialect === "etherscan"
    ? { isError: "0", txreceipt_status: "" }
    : { isError: "1", txreceipt_status: "0" };
}
