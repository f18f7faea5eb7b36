import { type ErrorCode, RequestError } from "../../core/errors.ts";
import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";
import { type Hex, isHash, lowerHex } from "../../core/evm/hex.ts";
import { isQuantity } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import { getBlock } from "../../store/blocks/blocks.ts";
import type { PageKey } from "../../store/lists/large-pages.ts";
import { type LogPattern, searchLogs } from "../../store/lists/logs.ts";
import { notIndexed } from "../explorer/from-node/transactions/unindexed.ts";
import { type Input, lookUp } from "../http/input/form.ts";
import {
  type IndexMethod,
  type NodeTag,
  type RpcContext,
  type RpcOutcome,
  rpcFailure,
} from "./rpc.ts";
import { presentLog } from "./transactions.ts";

export const MAXIMUM_LOGS = 1000;
const MAXIMUM_TOPICS = 4;
/** Each combination of address and topics is a separate range of an index. */
const MAXIMUM_PATTERNS = 100;
const TOO_MANY_PATTERNS = `too many combinations of addresses and topics, maximum is ${MAXIMUM_PATTERNS}`;

const FILTER_FIELDS = [
  "address",
  "topics",
  "fromBlock",
  "toBlock",
  "blockHash",
  "paging_options",
] as const;

type Fields = Readonly<Record<string, unknown>>;
type Block = number | "latest" | NodeTag;

/** `eth_getLogs` with the reference's limits and paging. Source: docs/wire.md, "eth_getLogs". */
export const getLogs: IndexMethod = {
  parameters: [1, 1],
  answer: (context, [filter]) => findLogs(context, filter, MAXIMUM_LOGS),
};

/** Returns the first `limit` logs of a filter. */
export async function findLogs(
  { read, chain, forward }: RpcContext,
  filter: unknown,
  limit: number,
): Promise<RpcOutcome> {
  const given = new Map(Object.entries(isRecord(filter) ? filter : {})) as Input;
  const fields: Fields = Object.fromEntries(
    FILTER_FIELDS.map((name) => [name, lookUp(given, name) ?? undefined]),
  );
  const patterns = parsePatterns(fields);
  const blockHash = parseBlockHash(fields["blockHash"]);
  const blocks =
    blockHash === undefined ? [parseBlock(fields, "fromBlock"), parseBlock(fields, "toBlock")] : [];
  const after = parsePaging(fields["paging_options"]);
  const page = { limit, skip: 0, after };
  const [from, to] = await Promise.all(blocks.map((block) => resolveBlock(forward, block)));
  if (typeof from === "object") return from;
  if (typeof to === "object") return to;
  const { logs, head } = await read(async (sql, served) => {
    const head = await served;
    if (from !== undefined && to !== undefined) {
      return { logs: await searchLogs(sql, patterns, { from, to }, page), head };
    }
    const block = blockHash && (await getBlock(sql, { hash: blockHash }));
    if (!block) return { logs: undefined, head };
    const only = { from: block.number, to: block.number };
    return { logs: await searchLogs(sql, patterns, only, page), head };
  });
  if (!logs) {
    const mayBeEarlier = head.startBlock > 0 && blockHash !== undefined;
    const header = mayBeEarlier ? await chain.fetchHeader(blockHash) : null;
    const isEarlier = header !== null && header.number < head.startBlock;
    const text = isEarlier ? notIndexed(head) : "Invalid Block Hash";
    throw new RequestError(400, "not-found", text);
  }
  return { result: logs.map((log) => presentLog(log, log)) };
}

function invalidFilter(
  parameter: (typeof FILTER_FIELDS)[number],
  text: string,
  code: ErrorCode = "invalid-parameter",
): RequestError {
  return new RequestError(400, code, text, { parameter });
}

function parsePatterns(fields: Fields): LogPattern[] {
  const addresses = parseAddresses(fields["address"]);
  const topics = parseTopics(fields["topics"]);
  if (addresses.length === 0 && topics.every((choices) => choices.length === 0)) {
    throw invalidFilter("address", "Must supply one of address and topics", "missing-parameter");
  }
  const combinations = [addresses, ...topics].reduce(
    (product, choices) => product * Math.max(choices.length, 1),
    1,
  );
  if (combinations > MAXIMUM_PATTERNS) throw invalidFilter("topics", TOO_MANY_PATTERNS);
  const patterns: LogPattern[] = orAny(addresses).map((address) => ({ address, topics: [] }));
  return topics.reduce(
    (found, choices) =>
      found.flatMap((pattern) =>
        orAny(choices).map((topic) => ({ ...pattern, topics: [...pattern.topics, topic] })),
      ),
    patterns,
  );
}

/** Replaces an empty list by undefined, which matches any. */
function orAny<Value>(values: readonly Value[]): (Value | undefined)[] {
  return values.length === 0 ? [undefined] : [...values];
}

function parseAddresses(value: unknown): Address[] {
  if (value === undefined) return [];
  const addresses = Array.isArray(value) ? value : [value];
  if (!addresses.every(isAddress)) throw invalidFilter("address", "invalid address");
  return [...new Set(addresses.map(lowerAddress))];
}

/** Returns the accepted topics of each position; an empty list accepts any. */
function parseTopics(value: unknown): Hex[][] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAXIMUM_TOPICS) {
    throw invalidFilter("topics", "invalid topics");
  }
  return value.map((topic) => {
    const choices = topic === null ? [] : Array.isArray(topic) ? topic : [topic];
    if (!choices.every(isHash)) throw invalidFilter("topics", "invalid topics");
    return [...new Set(choices.map(lowerHex))];
  });
}

function parseBlockHash(value: unknown): Hex | undefined {
  if (value === undefined) return undefined;
  if (!isHash(value)) throw invalidFilter("blockHash", "Invalid Block Hash");
  return lowerHex(value);
}

function parseBlock(fields: Fields, name: "fromBlock" | "toBlock"): Block {
  const value = fields[name];
  if (value === undefined || value === "latest" || value === "pending") return "latest";
  if (value === "safe" || value === "finalized") return value;
  if (value === "earliest") return 0;
  const isHex = typeof value === "string" && /^-?(?:0x)?[0-9a-fA-F]+$/.test(value);
  const number = isHex ? Number.parseInt(value, 16) : value;
  if (!isInteger(number)) throw invalidFilter(name, "invalid block number");
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw invalidFilter(name, `${value} is not a valid block number`);
}

/** Returns the block's number, which the node resolves for `safe` and `finalized`, or the node's failure. */
async function resolveBlock(forward: RpcContext["forward"], block: Block) {
  if (block !== "safe" && block !== "finalized") return block;
  const answer = await forward({ method: "eth_getBlockByNumber", params: [block, false] });
  if ("error" in answer) return answer;
  const number = isRecord(answer.result) ? answer.result["number"] : undefined;
  return isQuantity(number)
    ? Number.parseInt(number, 16)
    : rpcFailure("node-unreachable", `${block} is not a valid block number`);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Returns the key of the last log before the page, see `searchLogs`. */
function parsePaging(value: unknown): PageKey {
  if (value === undefined) return [];
  const { logIndex, blockNumber } = isRecord(value) ? value : ({} as Fields);
  const [log, block] = [parseHexNumber(logIndex), parseHexNumber(blockNumber)];
  if (log === undefined) throw invalidFilter("paging_options", "invalid log index");
  if (block === undefined) throw invalidFilter("paging_options", "invalid block number");
  return [String(block), String(log)];
}

/** Parses hex digits with or without `0x`, at most 2^53 - 1. */
function parseHexNumber(value: unknown): number | undefined {
  if (typeof value !== "string" || !/^(?:0x)?[0-9a-fA-F]+$/.test(value)) return undefined;
  return Math.min(Number.parseInt(value, 16), Number.MAX_SAFE_INTEGER);
}
