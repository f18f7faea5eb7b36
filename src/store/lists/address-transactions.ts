import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { placesOf, publishedHead } from "../cluster/distributed-reads.ts";
import { type PageRange, readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  behindPlace,
  blockOf,
  direction,
  inOrder,
  inPublishedBlocks,
  type Order,
} from "./page.ts";
import { type PartyFilter, pageOfActivity } from "./parties.ts";
import { hasSucceeded, mayBeNamed, type TransactionDetail } from "./transactions.ts";

export type TransactionFilter = {
  blocks?: BlockBounds;
  /** Unix seconds, inclusive. */
  timestamps?: { from?: number | undefined; to?: number | undefined };
} & PartyFilter;

/** A transaction in a list. */
export interface TransactionEntry
  extends Omit<TransactionDetail, "parentHash" | "error" | "revertData" | "traced"> {
  createdContract: Address | null;
  nonce: string;
  cumulativeGasUsed: string;
  /** True if the receiver has stored data that may name the called function. */
  mayBeNamed: boolean;
}

const KEY = ["block_number", "transaction_index"] as const;

/** Returns transactions of the address (sent, received, or creating it) or of parties, in the order of block and position. */
export async function listTransactionsOfAddress(
  sql: Queryable,
  filter: TransactionFilter,
  order: Order,
  page: PageRange,
): Promise<TransactionEntry[]> {
  return complete(sql, keysOf(sql, filter, order, page), order, page.limit);
}

/** Returns transactions of a range of blocks, in the order of block and position. */
export async function listTransactionsOfBlocks(
  sql: Queryable,
  blocks: BlockBounds,
  order: Order,
  page: PageRange,
): Promise<TransactionEntry[]> {
  const keys = sql`
    SELECT block_number, transaction_index FROM transactions
    WHERE ${inPublishedBlocks(sql, blocks)} ${behindPlace(sql, page, KEY, order)}
    ORDER BY ${inOrder(sql, KEY, order)}
    LIMIT ${page.limit} OFFSET ${page.skip}`;
  return complete(sql, keys, order, page.limit);
}

/** Returns at most `limit` rows for a page of keys, or for keys already read, in its order. */
async function complete(sql: Queryable, page: Fragment, order: Order, limit: number) {
  const towards = direction(sql, order);
  const { places } = await placesOf(sql, page, KEY);
  const query = sql<TransactionEntry[]>`
    SELECT b.hash AS block_hash, b.timestamp AS timestamp_seconds,
      ${publishedHead(sql)} - t.block_number AS confirmations, t.*
    FROM ${places}
    CROSS JOIN LATERAL (
      SELECT block_number, transaction_index, hash, from_address AS from, to_address AS to,
        created_contract, nonce, value, gas, gas_price,
        gas_used, cumulative_gas_used, status, ${hasSucceeded(sql)} AS succeeded, input,
        ${mayBeNamed(sql)} AS may_be_named
      FROM transactions_at(places.block_number, places.transaction_index)
    ) t
    ${blockOf(sql, sql`t.block_number`)}
    ORDER BY t.block_number ${towards}, t.transaction_index ${towards}`;
  return readPage(query, limit, ({ input }) => [input]);
}

function keysOf(sql: Queryable, filter: TransactionFilter, order: Order, page: PageRange) {
  const activity = {
    table: sql`address_transactions`,
    isOf: (address: Address) => sql`address = ${address}`,
    condition: sql`${inPublishedBlocks(sql, filter.blocks)} ${inTimes(sql, filter.timestamps)}`,
    key: KEY,
  };
  return pageOfActivity(sql, filter, activity, order, page);
}

/** Converts times to a range of blocks, wider if block times decrease, and checks the times (migrations/0240_times_that_go_back.sql). */
function inTimes(sql: Queryable, { from, to }: TransactionFilter["timestamps"] = {}): Fragment {
  if (from === undefined && to === undefined) return sql``;
  const timesBack = sql`(SELECT times_back FROM sync_state)`;
  const early =
    from !== undefined &&
    sql`coalesce((
      SELECT number FROM blocks WHERE timestamp < ${from}::bigint - ${timesBack} AND number <= ${publishedHead(sql)}
      ORDER BY timestamp DESC, number DESC LIMIT 1), -1)`;
  const late =
    to !== undefined &&
    sql`coalesce((
      SELECT number FROM blocks WHERE timestamp > ${to}::bigint + ${timesBack} AND number <= ${publishedHead(sql)}
      ORDER BY timestamp, number LIMIT 1), ${publishedHead(sql)} + 1)`;
  const within = (column: Fragment) => sql`
    ${early ? sql`AND ${column} > ${early}` : sql``} ${late ? sql`AND ${column} < ${late}` : sql``}`;
  return sql`${within(sql`block_number`)} AND block_number NOT IN (
    SELECT number FROM blocks
    WHERE ${timesBack} > 0 ${within(sql`number`)} AND NOT (
      timestamp >= ${from ?? 0}::bigint AND timestamp <= ${to ?? Number.MAX_SAFE_INTEGER}::bigint))`;
}
