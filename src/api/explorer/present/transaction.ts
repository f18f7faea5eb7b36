import { z } from "zod";
import type { TransactionEntry } from "../../../store/lists/address-transactions.ts";
import type { L1FeeOf } from "../../../store/lists/l1-fees.ts";
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

/** The L1 fee of a transaction. */
export const l1FeesPaid = wire.decimalOrEmpty.describe(
  "Wei for the transaction's data on L1, on rollups only; empty while its receipt is still to be read",
);

/** A transaction in a list. */
export const transactionRecord = {
  blockscout: record.meta({ id: "BlockscoutTransaction" }),
  etherscan: record
    .extend({
      txreceipt_status: z.string().regex(/^[01]?$/),
      functionName: z.string(),
      L1FeesPaid: l1FeesPaid.optional(),
    })
    .meta({ id: "EtherscanTransaction" }),
};

/** Presents a transaction. Only Etherscan's dialect shows the called function, and `l1FeeOf` on chains with L1 fees. */
export function presentTransaction(
  row: TransactionEntry,
  dialect: Dialect,
  call?: CallName,
  l1FeeOf?: L1FeeOf,
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
    ...(l1FeeOf && { L1FeesPaid: l1FeeOf(row) }),
  };
}

/** Presents the status: before Byzantium receipts have none, and Etherscan shows none; without a trace, Blockscout counts it as failed. */
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

/** Returns the key of a transaction in lists. */
export function keyOfTransaction({ blockNumber, transactionIndex }: TransactionEntry): number[] {
  return [blockNumber, transactionIndex];
}
