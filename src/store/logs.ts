import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Fragment, Queryable } from "../db/client.ts";
import type { PageRange } from "./page.ts";

/** A log with what its block and transaction add. */
export interface LogEntry {
  blockNumber: number;
  blockHash: Hex;
  timestampSeconds: number;
  logIndex: number;
  address: Address;
  topic0: Hex | null;
  topic1: Hex | null;
  topic2: Hex | null;
  topic3: Hex | null;
  data: Hex;
  transactionHash: Hex;
  transactionIndex: number;
  gasPrice: string;
  gasUsed: string;
}

/** Logs of an address (any when undefined) whose topics equal those given; undefined matches every log. */
export interface LogPattern {
  address?: Address | undefined;
  /** By position, up to four. */
  topics: readonly (Hex | undefined)[];
}

/** Inclusive; `latest` is the published head. */
export interface LogBlocks {
  from: number | "latest";
  to: number | "latest";
}

/** A range of an index that holds every log of a pattern: the index's columns before the block number, and their values. */
interface LogRange {
  columns: Fragment;
  values: Fragment;
}

/** As many entries of a range are worth counting before another one is preferred. */
const FEW = 1_000;

/**
 * Logs that match at least one of the patterns, by block and log index. Each pattern is read in that order from the
 * index range with the fewest entries, as far as the page asks.
 */
export async function searchLogs(
  sql: Queryable,
  patterns: readonly LogPattern[],
  blocks: LogBlocks,
  { limit, skip }: PageRange,
): Promise<LogEntry[]> {
  const ranges = await Promise.all(
    patterns.map((pattern) => narrowestRange(sql, rangesOf(sql, pattern), blocks)),
  );
  const branches = patterns.map((pattern, index) => {
    const range = ranges[index];
    return sql`(
      SELECT block_number, log_index FROM logs
      WHERE ${within(sql, range, blocks)} ${matching(sql, pattern)}
      ORDER BY ${orderOf(sql, range)} LIMIT ${skip + limit})`;
  });
  const union = branches.reduce((all, branch) => sql`${all} UNION ${branch}`);
  return sql<LogEntry[]>`
    SELECT page.block_number AS "blockNumber", b.hash AS "blockHash", b.timestamp AS "timestampSeconds",
      l.log_index AS "logIndex", l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data,
      t.hash AS "transactionHash", l.transaction_index AS "transactionIndex", t.gas_price AS "gasPrice",
      t.gas_used AS "gasUsed"
    FROM (${union} ORDER BY block_number, log_index LIMIT ${limit} OFFSET ${skip}) page
    CROSS JOIN LATERAL (
      SELECT * FROM logs WHERE block_number = page.block_number AND log_index = page.log_index LIMIT 1
    ) l
    CROSS JOIN LATERAL (
      SELECT hash, gas_price, gas_used FROM transactions
      WHERE block_number = page.block_number AND transaction_index = l.transaction_index
      LIMIT 1
    ) t
    CROSS JOIN LATERAL (
      SELECT hash, timestamp FROM blocks WHERE number = page.block_number LIMIT 1
    ) b
    ORDER BY page.block_number, page.log_index`;
}

/** Ranges that hold the pattern's logs, the likely best for many logs first. */
function rangesOf(sql: Queryable, { address, topics }: LogPattern): LogRange[] {
  const [topic0, ...others] = topics;
  const ranges: LogRange[] = [];
  if (address !== undefined && topic0 !== undefined) {
    ranges.push({
      columns: sql`address, substr(topic0, 1, 8)`,
      values: sql`${address}::bytea, substr(${topic0}::bytea, 1, 8)`,
    });
  } else if (address !== undefined) {
    ranges.push({ columns: sql`address`, values: sql`${address}::bytea` });
  } else if (topic0 !== undefined) {
    ranges.push({
      columns: sql`substr(topic0, 1, 8)`,
      values: sql`substr(${topic0}::bytea, 1, 8)`,
    });
  }
  others.forEach((topic, index) => {
    if (topic === undefined) return;
    ranges.push({
      columns: sql`substr(${sql(`topic${index + 1}`)}, 25, 8)`,
      values: sql`substr(${topic}::bytea, 25, 8)`,
    });
  });
  return ranges;
}

/** The range with the fewest entries, the first one when all have many; undefined when there is none: all blocks' logs. */
async function narrowestRange(
  sql: Queryable,
  ranges: readonly LogRange[],
  blocks: LogBlocks,
): Promise<LogRange | undefined> {
  if (ranges.length < 2) return ranges[0];
  const counts = ranges.map(
    (range) =>
      sql`(
        SELECT count(*) FROM (
          SELECT FROM logs WHERE ${within(sql, range, blocks)}
          ORDER BY ${orderOf(sql, range)} LIMIT ${FEW}
        ) entries)`,
  );
  const list = counts.reduce((all, count) => sql`${all}, ${count}`);
  const [row] = await sql<{ counts: number[] }[]>`SELECT ARRAY[${list}] AS counts`;
  const entries = row?.counts ?? [];
  return ranges[entries.indexOf(Math.min(...entries))];
}

/**
 * Condition of the range, written as one comparison of rows: the planner then has no other index in the order that
 * `orderOf` asks for. With an equality it may walk the primary key for the order instead and drop what does not match,
 * which reads the whole table where matches are late or rare.
 */
function within(sql: Queryable, range: LogRange | undefined, blocks: LogBlocks): Fragment {
  const head = sql`coalesce((SELECT head_number FROM sync_state), -1)`;
  const from = blocks.from === "latest" ? head : sql`${blocks.from}::bigint`;
  const to = blocks.to === "latest" ? head : sql`least(${blocks.to}::bigint, ${head})`;
  if (!range) return sql`block_number >= ${from} AND block_number <= ${to}`;
  const { columns, values } = range;
  return sql`
    (${columns}, block_number) >= (${values}, ${from})
    AND (${columns}, block_number) <= (${values}, ${to})`;
}

function orderOf(sql: Queryable, range: LogRange | undefined): Fragment {
  const position = sql`block_number, log_index`;
  return range ? sql`${range.columns}, ${position}` : position;
}

/** The whole comparison. That of the address is one that no index can take, for the choice is made already. */
function matching(sql: Queryable, { address, topics }: LogPattern): Fragment {
  const conditions = topics.flatMap((topic, index) =>
    topic === undefined ? [] : [sql`AND ${sql(`topic${index}`)} = ${topic}`],
  );
  if (address !== undefined) {
    conditions.push(sql`AND address IS NOT DISTINCT FROM ${address}::bytea`);
  }
  return conditions.reduce((all, condition) => sql`${all} ${condition}`, sql``);
}
