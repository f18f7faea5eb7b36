import type { OracleLog } from "../oracle/decode.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { quantity } from "./logs.ts";
import { addressOf, hashOf } from "./parameters.ts";

/** The filter object of `eth_getLogs` as the API takes it. */
export interface LogFilter {
  address?: string | string[];
  topics?: (string | string[] | null)[];
  fromBlock?: string | number;
  toBlock?: string | number;
  blockHash?: string;
  paging_options?: { logIndex: string; blockNumber: string };
}

const MOST = 1000;

function blockOf(bound: string | number | undefined, head: number): number {
  if (bound === "earliest") return 0;
  if (bound === undefined || bound === "latest" || bound === "pending") return head;
  return typeof bound === "number" ? bound : Number.parseInt(bound.replace(/^0x/, ""), 16);
}

function hasTopics(log: OracleLog, topics: LogFilter["topics"] = []): boolean {
  return topics.every((wanted, index) => {
    if (wanted === null) return true;
    const hashes = [wanted].flat().map((topic) => hashOf(topic));
    return hashes.includes(log.topics[index]);
  });
}

/**
 * `result` of `eth_getLogs` for a filter without mistakes: at most a thousand logs in the order of the chain, behind
 * those of `paging_options`.
 */
export function ethGetLogs(oracle: Oracle, filter: LogFilter): unknown[] {
  const head = oracle.head.number;
  const first = blockOf(filter.fromBlock, head);
  const last = blockOf(filter.toBlock, head);
  const addresses = [filter.address ?? []].flat().map(addressOf);
  const after = filter.paging_options;
  const hex = (text: string): number => Number.parseInt(text.replace(/^0x/, ""), 16);
  const found = oracle.logs.filter((log) => {
    const block = oracle.blocks.find(({ number }) => number === log.blockNumber);
    const isInRange = filter.blockHash
      ? block?.hash === hashOf(filter.blockHash)
      : log.blockNumber >= first && log.blockNumber <= last;
    const isBehind =
      !after ||
      log.blockNumber > hex(after.blockNumber) ||
      (log.blockNumber === hex(after.blockNumber) && log.logIndex > hex(after.logIndex));
    return (
      isInRange &&
      isBehind &&
      (addresses.length === 0 || addresses.includes(log.address)) &&
      hasTopics(log, filter.topics)
    );
  });
  return found.slice(0, MOST).map((log) => ({
    address: log.address,
    blockHash: oracle.blocks.find(({ number }) => number === log.blockNumber)?.hash,
    blockNumber: quantity(log.blockNumber),
    data: log.data,
    logIndex: quantity(log.logIndex),
    removed: false,
    topics: log.topics,
    transactionHash: oracle.transactions.find(
      ({ blockNumber, transactionIndex }) =>
        blockNumber === log.blockNumber && transactionIndex === log.transactionIndex,
    )?.hash,
    transactionIndex: quantity(log.transactionIndex),
  }));
}
