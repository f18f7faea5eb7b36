import type { Hex } from "../../core/evm/hex.ts";
import type { Fragment, Queryable, Transaction } from "../../db/client.ts";
import {
  type PageQuery,
  type PageRange,
  readPage,
  requireAnswerable,
} from "../lists/large-pages.ts";

// What statements do otherwise where rows are on several servers (Citus). There whatever a statement looks up on the
// coordinator is sent to the workers before they are asked, and a statement that combines both is planned twice.

const HEAD = Symbol("number of the published head");

const PINNED = Symbol("number of the block that lists end at");

interface Distributed {
  [HEAD]?: number;
  [PINNED]?: number;
}

/** The same client. Its lists end at a block below the published head, and confirmations count from it. */
export function asOfBlock<Client extends Queryable>(sql: Client, blockNumber: number): Client {
  return new Proxy(sql, {
    get: (target, property) => (property === PINNED ? blockNumber : Reflect.get(target, property)),
  });
}

/** Notes that a transaction reads rows of several servers, and at which head. */
export function noteDistributed(sql: Transaction, headNumber: number): void {
  (sql as Distributed)[HEAD] = headNumber;
}

/** Whether the client reads rows of several servers, as noted. */
export function isDistributedRead(sql: Queryable): boolean {
  return (sql as Distributed)[HEAD] !== undefined;
}

/** The number of the published head, or of the block that lists end at, in a statement. */
export function publishedHead(sql: Queryable): Fragment {
  const number = (sql as Distributed)[PINNED] ?? (sql as Distributed)[HEAD];
  return number === undefined ? sql`(SELECT head_number FROM sync_state)` : sql`${number}::bigint`;
}

/** A column that rows have their place in. */
type PlaceColumn =
  | "block_number"
  | "transaction_index"
  | "position"
  | "log_index"
  | "batch_index"
  | "withdrawal_index";

/** The others are integers. */
const BIG: ReadonlySet<PlaceColumn> = new Set(["block_number", "withdrawal_index"]);

/** Places that were read, with the values of the columns. */
export type Places = readonly (readonly number[])[];

function isRead(page: Fragment | Places): page is Places {
  return Array.isArray(page);
}

/**
 * The places of a page, a SELECT of just these columns unless they were read, as one row of arrays with the columns' names: for
 * functions that read rows by their places (migrations/0103_rows_by_places.sql and later). It is a part of the statement or, of
 * several servers, what the page found. Wrapped, because a fragment that is awaited is sent.
 */
export async function placesOf(
  sql: Queryable,
  page: Fragment | Places,
  columns: readonly PlaceColumn[],
): Promise<{ places: Fragment }> {
  const list = (arrayOf: (column: PlaceColumn, index: number) => Fragment) =>
    columns
      .map((column, index) => sql`${arrayOf(column, index)} AS ${sql(column)}`)
      .reduce((all, array) => sql`${all}, ${array}`);
  if (!isRead(page) && !isDistributedRead(sql)) {
    const arrays = list((column) => sql`array_agg(${sql(column)})`);
    return { places: sql`(WITH page AS MATERIALIZED (${page}) SELECT ${arrays} FROM page) places` };
  }
  const rows: Places = isRead(page) ? page : await page.values();
  const arrays = list((column, index) => {
    // As of `array_agg`: without a place nothing is asked.
    const values = rows.length === 0 ? null : rows.map((row) => row[index] as number);
    return BIG.has(column) ? sql`${values}::bigint[]` : sql`${values}::integer[]`;
  });
  return { places: sql`(SELECT ${arrays}) places` };
}

/** Of a page that ends later keys are read first, as every server that is asked gives as many rows as the page ends at. */
const NEAR = 100;

/** Whether all servers may be asked for whole rows, or the one of an address, which skips those before the page. */
export function isNear({ limit, skip }: PageRange, asked: "all servers" | "one server"): boolean {
  return asked === "all servers" ? skip + limit <= NEAR : skip <= Math.max(limit, NEAR);
}

/**
 * A page of one address of several servers: `statement` selects what pages show (page-columns.ts) from the one server that has the
 * list. `complete` adds what the coordinator has; `readInPlace` gives the entries of the places of rows that do not carry all. Undefined
 * on one server, and for a page far behind the first. Throws `PageTooLarge`.
 */
export async function readFromList<Row extends { transactionHash: Hex | null }, Entry>(
  sql: Queryable,
  statement: Fragment,
  page: PageRange,
  {
    dataOf,
    complete,
    placeOf,
    readInPlace,
  }: {
    dataOf(row: Row | Entry): readonly (string | null)[];
    complete(rows: Row[]): Promise<Entry[]>;
    placeOf(row: Row): readonly number[];
    readInPlace(places: Places): Promise<Entry[]>;
  },
): Promise<Entry[] | undefined> {
  if (!isDistributedRead(sql) || !isNear(page, "one server")) return undefined;
  const rows = await readPage(statement as unknown as PageQuery<Row>, page.limit, dataOf);
  const isCarried = ({ transactionHash }: Row) => transactionHash !== null;
  const carried = rows.filter(isCarried);
  if (carried.length === rows.length) return complete(rows);
  const entries = await complete(carried);
  const others = await readInPlace(rows.filter((row) => !isCarried(row)).map(placeOf));
  requireAnswerable([...entries, ...others], dataOf);
  // Both are in the order of the page. One that is gone by now is of a branch that is.
  if (entries.length + others.length !== rows.length) return undefined;
  const [next, nextOther] = [entries.values(), others.values()];
  return rows.map((row) => (isCarried(row) ? next : nextOther).next().value as Entry);
}

/** Rows with what their blocks add, which only the coordinator has. */
export async function withBlocks<Row extends { blockNumber: number }>(
  sql: Queryable,
  rows: readonly Row[],
): Promise<(Row & { blockHash: Hex; timestampSeconds: number; confirmations: number })[]> {
  const numbers = [...new Set(rows.map(({ blockNumber }) => blockNumber))];
  const blocks = await sql<
    { number: number; blockHash: Hex; timestampSeconds: number; confirmations: number }[]
  >`
    SELECT number, hash AS block_hash, timestamp AS timestamp_seconds, ${publishedHead(sql)} - number AS confirmations
    FROM blocks WHERE number = ANY(${numbers}::bigint[])`;
  const byNumber = new Map(blocks.map(({ number, ...block }) => [number, block]));
  return rows.flatMap((row) => {
    const block = byNumber.get(row.blockNumber);
    return block ? [{ ...row, ...block }] : [];
  });
}
