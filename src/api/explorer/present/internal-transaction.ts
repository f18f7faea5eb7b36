import { z } from "zod";
import type { InternalTransactionEntry } from "../../../store/lists/internal-transactions.ts";
import type { Dialect } from "../envelope.ts";
import * as wire from "../wire.ts";

const record = z.object({
  blockNumber: wire.decimal,
  timeStamp: wire.decimal,
  from: wire.address,
  to: wire.addressOrEmpty,
  value: wire.decimal,
  contractAddress: wire.addressOrEmpty,
  transactionHash: wire.hash,
  index: wire.decimal,
  input: z.string().regex(/^(0x([0-9a-f]{2})*)?$/),
  type: z.string(),
  callType: z.string(),
  gas: wire.decimal,
  gasUsed: wire.decimalOrEmpty,
  isError: wire.flag,
  errCode: z.string(),
  functionName: z.string().optional().describe("With `names` only; empty where no ABI has it"),
});

/** An internal transaction in a list. */
export const internalTransactionRecord = {
  blockscout: record.meta({ id: "BlockscoutInternalTransaction" }),
  etherscan: record
    .extend({
      gasUsed: wire.decimal,
      hash: wire.hash,
      traceId: z.string().regex(/^(\d+(_\d+)*)?$/),
    })
    .meta({ id: "EtherscanInternalTransaction" }),
};

/** Error of an entry that succeeded itself but was rolled back, in the reference's words. */
const PARENT_REVERTED = "Parent reverted";

/** Presents an internal transaction, with the called function's name if given. */
export function presentInternalTransaction(
  row: InternalTransactionEntry,
  dialect: Dialect,
  functionName?: string,
): z.output<typeof record> {
  const isEtherscan = dialect === "etherscan";
  const isCreation = row.type === "create" || row.type === "create2";
  return {
    blockNumber: String(row.blockNumber),
    timeStamp: String(row.timestampSeconds),
    from: row.from,
    to: isCreation ? "" : (row.to ?? ""),
    value: row.value,
    contractAddress: row.createdContract ?? "",
    transactionHash: row.transactionHash,
    index: String(row.position),
    // Empty also for a call whose input was dropped.
    input: isCreation ? "" : (row.input ?? ""),
    type: row.type,
    callType: row.callType ?? "",
    gas: row.gas ?? "0",
    gasUsed: row.gasUsed ?? (isEtherscan ? "0" : ""),
    isError: row.effective ? "0" : "1",
    errCode: row.error ?? (row.effective ? "" : PARENT_REVERTED),
    ...(functionName !== undefined && { functionName }),
    ...(isEtherscan && { hash: row.transactionHash, traceId: row.traceAddress.join("_") }),
  };
}
