import { z } from "zod";
import type { TransactionEntry } from "../../../store/lists/address-transactions.ts";
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
  blockscout: record.meta({ id: "BlockscoutTransaction" }),
  etherscan: record
    .extend({
      txreceipt_status: z.string().regex(/^[01]?$/),
      functionName: z.string(),
    })
    .meta({ id: "EtherscanTransaction" }),
};

/** The record of a transaction. Only Etherscan's dialect shows the called function. */
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
    ...presentStatus(row, dialect),
    input: row.input,
    contractAddress: row.createdContract ?? "",
    cumulativeGasUsed: row.cumulativeGasUsed,
    gasUsed: row.gasUsed,
    confirmations: String(row.confirmations),
    methodId: selectorOf(row) ?? "0x",
    ...(dialect === "etherscan" && { functionName: call?.functionName ?? "" }),
  };
}

/**
 * Receipts before Byzantium have no status, and Etherscan shows none. If there is no trace either, the reference counts
 * the transaction as failed, Etherscan does not.
 */
function presentStatus(
  { status, succeeded }: Pick<TransactionEntry, "status" | "succeeded">,
  dialect: Dialect,
) {
  const isEtherscan = dialect === "etherscan";
  const isGood = succeeded ?? isEtherscan;
  const shown = isGood ? "1" : "0";
  return {
    isError: isGood ? "0" : "1",
    txreceipt_status: status === null && isEtherscan ? "" : shown,
  };
}
