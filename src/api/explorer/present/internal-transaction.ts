import { z } from "zod";
import type { InternalTransactionEntry } from "../../../store/lists/internal-transactions.ts";
import * as wire from "../wire.ts";
import { defineRecord } from "./record.ts";

/** Error of an entry that succeeded itself but was rolled back, in the reference's words. */
const PARENT_REVERTED = "Parent reverted";

const isCreation = ({ type }: InternalTransactionEntry) => type === "create" || type === "create2";

/** An entry, with the called function's name if asked for. */
type Listed = InternalTransactionEntry & { functionName?: string | undefined };

const blockscout = defineRecord<Listed>("BlockscoutInternalTransaction", (row) => [
  row.blockNumber,
  row.transactionIndex,
  row.position,
])({
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
});

/** An internal transaction in a list. */
export const internalTransaction = {
  blockscout,
  etherscan: defineRecord(
    "EtherscanInternalTransaction",
    blockscout.keyOf,
  )({
    ...blockscout.fields,
    gasUsed: [wire.decimal, (row) => row.gasUsed ?? "0"],
    hash: [wire.hash, (row) => row.transactionHash],
    traceId: [z.string().regex(/^(\d+(_\d+)*)?$/), ({ traceAddress }) => traceAddress.join("_")],
  }),
};
