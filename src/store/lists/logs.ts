import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { placesOf, publishedHead } from "../cluster/distributed-reads.ts";
import { keyOf } from "../index-keys.ts";
import { type PageRange, readPage } from "./large-pages.ts";
import { behindPlace, blockOf, direction, type Order, pageOfBlocks } from "./page.ts";

/** A log of a transaction. */
export interface TransactionLog {
  logIndex: number;
  address: Address;
  topic0: Hex | null;
  topic1: Hex | null;
  topic2: Hex | null;
  topic3: Hex | null;
  data: Hex;
}

/** A log with fields of its block and transaction. */
export interface LogEntry extends TransactionLog {
  blockNumber: number;
  blockHash: Hex;
  timestampSeconds: number;
  transactionHash: Hex;
  transactionIndex: number;
  gasPrice: string;
  gasUsed: string;
}

/** Matches logs by address and topics; undefined matches all. */
export interface LogPattern {
  address?: Address | undefined;
  /** By position, up to four. */
  topics: readonly (Hex | undefined)[];
  /** If set: the log has all topics, and exactly so many words of data. */
  words?: number;
}

/** Inclusive; `latest` is the published head. */
export interface LogBlocks {
  from: number | "latest";
  to: number | "latest";
}

/**
 * An index range with every log of a pattern. A statement must use this index: the condition is
 * about a column of no other index, compares it with a list of one value, and the order names it,
 * too. With an equality the planner could scan the primary key in order and filter, which reads the
 * whole table where matches are late.
 */
interface LogRange {
  condition: Fragment;
  order: Fragment;
}

/** `Approval(address,address,uint256)` and `ApprovalForAll(address,address,bool)`. */
export const APPROVAL: Hex = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
export const APPROVAL_FOR_ALL: Hex =
  "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31";

const KEY = ["block_number", "log_index"] as const;

/** A range with more entries is not counted further. */
const FEW = 1_000;

/** Finds logs that match a pattern, by block and log index, each pattern by its smallest index range. */
export async function searchLogs(
  sql: Queryable,
  patterns: readonly LogPattern[],
  blocks: LogBlocks,
  page: PageRange,
  order: Order = "asc",
): Promise<LogEntry[]> {
  const searches = await Promise.all(
    patterns.map(async (pattern) => ({
      pattern,
      range: await narrowestRange(sql, listRanges(sql, pattern), blocks),
    })),
  );
  return readLogs(sql, keysOf(sql, searches, blocks, page, order), order, page.limit);
}

/**
 * Returns those of the approvals that logs of their owner name from a place on, of `most` logs at most: undefined where there are more.
 * An approval is its token's address with the id, or with the event's topic and the spender. The place has 0 behind a log's ids.
 */
export async function listNamedApprovals(
  sql: Queryable,
  owner: Hex,
  from: readonly [blockNumber: number, logIndex: number, isNoToken: number],
  approvals: readonly Hex[],
  most: number,
): Promise<Set<Hex> | undefined> {
  const pattern = { topics: [undefined, owner] };
  const [range] = listRanges(sql, pattern) as [LogRange];
  const [block, log, isNoToken] = from;
  const rows = await sql<{ read: number; named: Hex | null }[]>`
    WITH newer AS MATERIALIZED (
      SELECT address, topic2,
        CASE WHEN topic3 IS NULL OR topic0 <> ${APPROVAL} THEN topic0 || topic2 END AS spender,
        CASE WHEN topic0 = ${APPROVAL}
            AND (block_number, log_index, 0) >= (${block}::bigint, ${log}::bigint, ${isNoToken}::int)
          THEN coalesce(topic3, CASE WHEN length(data) = 32 THEN data END) END AS id
      FROM logs
      WHERE ${within(sql, range, { from: block, to: "latest" })} ${matching(sql, pattern)}
        AND topic0 IN (${APPROVAL}, ${APPROVAL_FOR_ALL})
        AND (block_number, log_index) >= (${block}::bigint, ${log}::bigint)
      ORDER BY ${range.order}, block_number LIMIT ${most + 1})
    SELECT counted.read, found.named
    FROM (SELECT count(*) AS read FROM newer) counted
    LEFT JOIN (
      SELECT unnest(${approvals as Hex[]}::bytea[]) AS named INTERSECT
      SELECT address || unnest(ARRAY[spender, id]) FROM newer
      WHERE topic2 < '\\x000000000000000000000001') found ON true`;
  const isAll = rows.every(({ read }) => read <= most);
  return isAll ? new Set(rows.flatMap(({ named }) => named ?? [])) : undefined;
}

/** Returns at most `limit` logs for a page of keys, in its order. */
export async function readLogs(sql: Queryable, keys: Fragment, order: Order, limit: number) {
  const by = direction(sql, order);
  const { places } = await placesOf(sql, keys, KEY);
  const query = sql<LogEntry[]>`
    SELECT l.block_number, b.hash AS block_hash, b.timestamp AS timestamp_seconds,
      l.log_index, l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data,
      l.transaction_hash, l.transaction_index, l.gas_price, l.gas_used
    FROM ${places}
    CROSS JOIN LATERAL (
      SELECT (log).*, transaction_hash, gas_price, gas_used
      FROM logs_at(places.block_number, places.log_index)
    ) l
    ${blockOf(sql, sql`l.block_number`)}
    ORDER BY l.block_number ${by}, l.log_index ${by}`;
  return readPage(query, limit, ({ data }) => [data]);
}

/** A pattern and its range: undefined for all blocks. */
interface LogSearch {
  pattern: LogPattern;
  range: LogRange | undefined;
}

/** Selects the keys of a page of the searches, each log once. Each search returns as many as the page may need. */
function keysOf(
  sql: Queryable,
  searches: readonly LogSearch[],
  blocks: LogBlocks,
  page: PageRange,
  asked: Order,
): Fragment {
  const by = direction(sql, asked);
  const { limit, skip } = page;
  const pageOf = (search: LogSearch, page: PageRange) => {
    const rows = sql`
      SELECT block_number, log_index FROM logs
      WHERE ${within(sql, search.range, blocks)} ${matching(sql, search.pattern)} ${behindPlace(sql, page, KEY, asked)}`;
    return pageOfBlocks(sql, rows, buildOrders(sql, search, by), page);
  };
  const [first, ...others] = searches;
  if (!first) return sql`SELECT 0 AS block_number, 0 AS log_index LIMIT 0`;
  if (others.length === 0) return pageOf(first, page);
  const union = searches
    .map((search) => sql`(${pageOf(search, { ...page, limit: skip + limit, skip: 0 })})`)
    .reduce((all, branch) => sql`${all} UNION ${branch}`);
  const { order } = buildOrders(sql, first, by);
  return sql`SELECT * FROM (${union}) AS found ORDER BY ${order} LIMIT ${limit} OFFSET ${skip}`;
}

/** Returns the order of a search's range, and that of its logs. */
function buildOrders(sql: Queryable, { range }: LogSearch, by: Fragment) {
  const order = sql`block_number ${by}, log_index ${by}`;
  return { order, inIndex: range ? sql`${range.order} ${by}, block_number ${by}` : order };
}

/** Returns the ranges that contain the pattern's logs, beginning with the one that is probably the smallest. */
function listRanges(sql: Queryable, { address, topics }: LogPattern): LogRange[] {
  const [topic0, ...others] = topics;
  const ranges: LogRange[] = [];
  const rangeOf = (order: Fragment, value: Fragment): LogRange => ({
    order,
    condition: sql`${order} = ANY(ARRAY[${value}])`,
  });
  if (address !== undefined) {
    ranges.push(
      topic0 === undefined
        ? rangeOf(sql`address`, sql`${address}::bytea`)
        : rangeOf(
            keyOf(sql, sql`address || topic0`),
            keyOf(sql, sql`${address}::bytea || ${topic0}::bytea`),
          ),
    );
  } else if (topic0 !== undefined) {
    ranges.push(rangeOf(keyOf(sql, sql`topic0`), keyOf(sql, sql`${topic0}::bytea`)));
  }
  others.forEach((topic, index) => {
    if (topic === undefined) return;
    const column = sql`${sql(`topic${index + 1}`)}`;
    ranges.push(rangeOf(keyOf(sql, column), keyOf(sql, sql`${topic}::bytea`)));
  });
  return ranges;
}

/** Returns the range with the fewest entries, or the first one when all have many; undefined without ranges: the logs of all blocks. */
async function narrowestRange(sql: Queryable, ranges: readonly LogRange[], blocks: LogBlocks) {
  if (ranges.length < 2) return ranges[0];
  const counts = ranges.map(
    (range) =>
      sql`(
        SELECT count(*) FROM (
          SELECT 1 FROM logs WHERE ${within(sql, range, blocks)}
          ORDER BY ${range.order}, block_number LIMIT ${FEW}
        ) entries)`,
  );
  const list = counts.reduce((all, count) => sql`${all}, ${count}`);
  const [row] = await sql<{ counts: number[] }[]>`SELECT ARRAY[${list}] AS counts`;
  const entries = row?.counts ?? [];
  return ranges[entries.indexOf(Math.min(...entries))] ?? ranges[0];
}

function within(sql: Queryable, range: LogRange | undefined, blocks: LogBlocks): Fragment {
  const head = publishedHead(sql);
  const from = blocks.from === "latest" ? head : sql`${blocks.from}::bigint`;
  const to = blocks.to === "latest" ? sql`` : sql`AND block_number <= ${blocks.to}::bigint`;
  return sql`
    block_number >= ${from} ${to} AND block_number <= ${head}
    ${range ? sql`AND ${range.condition}` : sql``}`;
}

/**
 * Returns the whole condition in a form that matches no index and that the planner expects to hold:
 * the range is already chosen, and most of it matches. By column statistics the planner would expect
 * too few rows to fill a page, read the whole range and sort it.
 */
export function matching(sql: Queryable, { address, topics, words }: LogPattern): Fragment {
  const conditions = topics.flatMap((topic, index) =>
    topic === undefined ? [] : [sql`${sql(`topic${index}`)} = ${topic}`],
  );
  if (address !== undefined) conditions.push(sql`address = ${address}::bytea`);
  if (words !== undefined)
    conditions.push(sql`topic3 IS NOT NULL AND length(data) = ${32 * words}::int`);
  if (conditions.length === 0) return sql``;
  const all = conditions.reduce((some, condition) => sql`${some} AND ${condition}`);
  return sql`AND CASE WHEN ${all} THEN true END IS NOT NULL`;
}
