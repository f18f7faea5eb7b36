import type { Hex } from "viem";
import type { OracleLog } from "../oracle/decode.ts";
import type { Oracle } from "../oracle/oracle.ts";
import {
  addressOf,
  type Dialect,
  hashOf,
  integer,
  type Parameters,
  pageOf,
  paging,
  WINDOW_TEXT,
} from "./parameters.ts";
import { type Answerer, fail, list } from "./wire.ts";

const MOST = 1000;
const PAIRS = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
] as const;

/** `0x` text of a number without leading zeros. */
export function quantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}

function operatorName([left, right]: readonly [number, number]): string {
  return `topic${left}_${right}_opr`;
}

/** The first complaint about the parameters that must be there, as the contract orders them. */
function missing(parameters: Parameters, dialect: Dialect): string | undefined {
  const has = (name: string): boolean => parameters.get(name) !== undefined;
  const topics = [0, 1, 2, 3].filter((index) => has(`topic${index}`));
  const names: string[] = [];
  if (dialect === "blockscout")
    names.push(...["fromBlock", "toBlock"].filter((name) => !has(name)));
  if (!has("address") && topics.length === 0) names.push("address and/or topic{x}");
  if (names.length === 0 && dialect === "blockscout") {
    const present = PAIRS.filter((pair) => pair.every((index) => topics.includes(index)));
    names.push(...present.map(operatorName).filter((name) => !has(name)));
  }
  return names.length > 0 ? `Required query parameters missing: ${names.join(", ")}` : undefined;
}

function blockOf(text: string | undefined, absent: bigint, head: number): bigint | undefined {
  if (text === undefined) return absent;
  if (text === "latest") return BigInt(head);
  const number = integer(text);
  return number !== undefined && number >= -(2n ** 63n) && number < 2n ** 63n ? number : undefined;
}

function matches(log: OracleLog, parameters: Parameters): boolean {
  const wanted = [0, 1, 2, 3].flatMap((index) => {
    const topic = hashOf(parameters.get(`topic${index}`) ?? "");
    return topic ? [{ index, holds: log.topics[index] === topic }] : [];
  });
  const [only] = wanted;
  if (wanted.length === 1) return only?.holds === true;
  return wanted.every((left, position) =>
    wanted.slice(position + 1).every((right) => {
      const operator = parameters.get(operatorName([left.index, right.index])) ?? "and";
      return operator === "or" ? left.holds || right.holds : left.holds && right.holds;
    }),
  );
}

function listedLog(oracle: Oracle, log: OracleLog, dialect: Dialect) {
  const block = oracle.blocks.find(({ number }) => number === log.blockNumber);
  const transaction = oracle.transactions.find(
    ({ blockNumber, transactionIndex }) =>
      blockNumber === log.blockNumber && transactionIndex === log.transactionIndex,
  );
  if (!block || !transaction) throw new Error("a log without its block or transaction");
  const padded = [0, 1, 2, 3].map((index) => log.topics[index] ?? null);
  return {
    address: log.address,
    topics: dialect === "blockscout" ? padded : log.topics,
    data: log.data,
    blockNumber: quantity(log.blockNumber),
    timeStamp: quantity(block.timestamp),
    gasPrice: quantity(transaction.gasPrice),
    gasUsed: quantity(transaction.gasUsed),
    logIndex: quantity(log.logIndex),
    transactionHash: transaction.hash,
    transactionIndex: quantity(log.transactionIndex),
    ...(dialect === "etherscan" && { blockHash: block.hash }),
  };
}

/** Logs by emitter and topics. */
export const getLogs: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: MOST, maximum: MOST });
  if (page === "too large") return fail(dialect, WINDOW_TEXT);
  const incomplete = missing(parameters, dialect);
  if (incomplete) return fail(dialect, incomplete);
  const head = oracle.head.number;
  const first = blockOf(parameters.get("fromBlock"), 0n, head);
  if (first === undefined) return fail(dialect, "Invalid fromBlock format");
  const last = blockOf(parameters.get("toBlock"), BigInt(head), head);
  if (last === undefined) return fail(dialect, "Invalid toBlock format");
  const addressText = parameters.get("address");
  const address = addressText === undefined ? undefined : addressOf(addressText);
  if (addressText !== undefined && !address) return fail(dialect, "Invalid address format");
  for (const name of PAIRS.map(operatorName)) {
    if (!["and", "or", undefined].includes(parameters.get(name))) {
      return fail(dialect, `Invalid ${name} format`);
    }
  }
  for (const name of ["topic0", "topic1", "topic2", "topic3"]) {
    const topic = parameters.get(name);
    if (topic !== undefined && !hashOf(topic)) return fail(dialect, `Invalid ${name} format`);
  }
  const matching = oracle.logs.filter(
    (log) =>
      log.blockNumber >= first &&
      log.blockNumber <= last &&
      (!address || log.address === address) &&
      matches(log, parameters),
  );
  const isNewestFirst = parameters.get("newest_first")?.toLowerCase() === "true";
  const found = isNewestFirst ? matching.toReversed() : matching;
  return list(
    dialect,
    pageOf(found, page).map((log) => listedLog(oracle, log, dialect)),
    { blockscout: "No logs found", etherscan: "No records found" },
  );
};
