import { quantity } from "../../core/evm/quantity.ts";
import { isNothing, isRecord } from "../../core/json/record.ts";
import type { FetchedBlock, RawLog, RawReceipt } from "../types.ts";
import { withOddity } from "./oddity.ts";

const REASON =
  "a receipt lacks logs, topics, data or its running sum of gas, or spells them otherwise";

/**
 * Fills in parts of receipts that are left out where their meaning is certain: empty lists of logs or topics, empty data, the
 * running sum of gas. Not validated yet: a field may be anything.
 */
export function completeReceipts(fetched: FetchedBlock): FetchedBlock {
  if (fetched.receipts.every(isComplete)) return fetched;
  let gas = 0;
  const receipts = fetched.receipts.map((receipt): RawReceipt => {
    gas += Number(receipt.gasUsed);
    const sum = Number.isSafeInteger(gas) ? { cumulativeGasUsed: quantity(gas) } : {};
    const logs = receipt.logs ?? [];
    return {
      ...receipt,
      ...(isNothing(receipt.cumulativeGasUsed) && sum),
      logs: Array.isArray(logs) ? logs.map(complete) : logs,
    };
  });
  return withOddity({ ...fetched, receipts }, { kind: "odd-field", reason: REASON });
}

function isComplete(receipt: RawReceipt | null): boolean {
  return (
    !isNothing(receipt?.cumulativeGasUsed) &&
    Array.isArray(receipt?.logs) &&
    receipt.logs.every(
      (log) =>
        typeof log?.data === "string" && Array.isArray(log.topics) && log.topics.every(isLower),
    )
  );
}

function isLower(topic: unknown): boolean {
  return typeof topic === "string" && topic === topic.toLowerCase();
}

function complete(log: RawLog): RawLog {
  if (!isRecord(log)) return log;
  const topics = log.topics ?? [];
  const lower = (topic: unknown) => (typeof topic === "string" ? topic.toLowerCase() : topic);
  return {
    ...log,
    data: log.data ?? "0x",
    topics: (Array.isArray(topics) ? topics.map(lower) : topics) as RawLog["topics"],
  };
}
