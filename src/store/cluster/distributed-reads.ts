import type { Fragment, Queryable, Transaction } from "../../db/client.ts";

// Reads on Citus. There a statement's coordinator rows are sent to the workers before these are
// queried, and a statement that combines both is planned twice.

const HEAD = Symbol("number of the published head");

const PINNED = Symbol("number of the block that lists end at");

interface Distributed {
  [HEAD]?: number;
  [PINNED]?: number;
}

/** Marks the client and returns it: its lists end at a block below the published head, and confirmations count from that block. */
export function asOfBlock<Client extends Queryable>(sql: Client, blockNumber: number): Client {
  return new Proxy(sql, {
    get: (target, property) => (property === PINNED ? blockNumber : Reflect.get(target, property)),
  });
}

/** Marks a transaction as reading rows of several servers, with its head. */
export function noteDistributed(sql: Transaction, headNumber: number): void {
  (sql as Distributed)[HEAD] = headNumber;
}

/** Returns whether the client is marked as reading rows of several servers. */
export function isDistributedRead(sql: Queryable): boolean {
  return (sql as Distributed)[HEAD] !== undefined;
}

/** Returns the number of the published head, or of the block that lists end at, as SQL. */
export function publishedHead(sql: Queryable): Fragment {
  const number = (sql as Distributed)[PINNED] ?? (sql as Distributed)[HEAD];
  return number === undefined ? sql`(SELECT head_number FROM sync_state)` : sql`${number}::bigint`;
}

/** A column of the rows' key. */
type PlaceColumn =
  | "block_number"
  | "transaction_index"
  | "position"
  | "log_index"
  | "batch_index"
  | "withdrawal_index";

/** The others are integers. */
const BIG: ReadonlySet<PlaceColumn> = new Set(["block_number", "withdrawal_index"]);

/**
 * Returns a page's places as one row of arrays, for functions that read by places (migrations/0103_rows_by_places.sql): part of the
 * statement, or already read on several servers. Wrapped, because awaiting a fragment sends it.
 */
export async function placesOf(sql: Queryable, page: Fragment, columns: readonly PlaceColumn[]) {
  const list = (arrayOf: (column: PlaceColumn, index: number) => Fragment) =>
    columns
      .map((column, index) => sql`${arrayOf(column, index)} AS ${sql(column)}`)
      .reduce((all, array) => sql`${all}, ${array}`);
  if (!isDistributedRead(sql)) {
    const arrays = list((column) => sql`array_agg(${sql(column)})`);
    return { places: sql`(WITH page AS MATERIALIZED (${page}) SELECT ${arrays} FROM page) places` };
  }
  const rows: readonly number[][] = await page.values();
  const arrays = list((column, index) => {
    // As `array_agg`: without a key nothing is read.
    const values = rows.length === 0 ? null : rows.map((row) => row[index] as number);
    return BIG.has(column) ? sql`${values}::bigint[]` : sql`${values}::integer[]`;
  });
  return { places: sql`(SELECT ${arrays}) places` };
}
