import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import {
  type Places,
  placesOf,
  publishedHead,
  readFromList,
  withBlocks,
} from "../cluster/distributed-reads.ts";
import { getChainIdentity } from "../sync-state.ts";
import { listNamed, mayBeNamed } from "./called-methods.ts";
import { type PageRange, readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  behindPlace,
  blockOf,
  direction,
  inPublishedBlocks,
  type Order,
} from "./page.ts";
import { activityWithSides, onSide, type Parties, pageOfParties, type Side } from "./parties.ts";
import { hasRowSucceeded, hasSucceeded, type TransactionDetail } from "./transactions.ts";

export type TransactionFilter = {
  blocks?: BlockBounds;
  /** Unix seconds, inclusive. */
  timestamps?: { from?: number | undefined; to?: number | undefined };
} & ({ address: Address; side?: Side | undefined } | { parties: Parties });

type AddressFilter = Extract<TransactionFilter, { address: Address }>;

/** A transaction in a list. */
export interface TransactionEntry
  extends Omit<TransactionDetail, "parentHash" | "error" | "revertData" | "traced"> {
  createdContract: Address | null;
  nonce: string;
  cumulativeGasUsed: string;
  /** Whether something is stored of the receiver that may name what is called. */
  mayBeNamed: boolean;
}

const KEY = ["block_number", "transaction_index"] as const;

/** Transactions that the address sent, received or was created by, or of parties, in the order of block and position. */
export async function listTransactionsOfAddress(
  sql: Queryable,
  filter: TransactionFilter,
  order: Order,
  page: PageRange,
): Promise<TransactionEntry[]> {
  const listed = "address" in filter && (await readListOf(sql, filter, order, page));
  return listed || complete(sql, keysOf(sql, filter, order, page), order, page.limit);
}

/** Transactions of a range of blocks, in the order of block and position. */
export async function listTransactionsOfBlocks(
  sql: Queryable,
  blocks: BlockBounds,
  order: Order,
  page: PageRange,
): Promise<TransactionEntry[]> {
  return complete(
    sql,
    sql`
      SELECT block_number, transaction_index FROM transactions
      WHERE ${inPublishedBlocks(sql, blocks)} ${behindPlace(sql, page, KEY, order)}
      ORDER BY ${orderOf(sql, order)}
      LIMIT ${page.limit} OFFSET ${page.skip}`,
    order,
    page.limit,
  );
}

/** The page of the list of an address on several servers; undefined where it is read by keys. */
function readListOf(
  sql: Queryable,
  filter: AddressFilter,
  order: Order,
  page: PageRange,
): Promise<TransactionEntry[] | undefined> {
  const columns = sql`
    block_number, transaction_index, transaction_hash, from_address AS from, to_address AS to, created_contract,
    nonce, value, gas, gas_price, gas_used, cumulative_gas_used, status, input, error`;
  return readFromList<ListedRow, TransactionEntry>(
    sql,
    pageOfAddress(sql, columns, filter, order, page),
    page,
    {
      dataOf: ({ input }) => [input],
      complete: (rows) => completeListed(sql, rows),
      placeOf: ({ blockNumber, transactionIndex }) => [blockNumber, transactionIndex],
      readInPlace: (places) => complete(sql, places, order, places.length),
    },
  );
}

type ListedRow = Omit<
  TransactionEntry,
  "hash" | "blockHash" | "timestampSeconds" | "confirmations" | "succeeded" | "mayBeNamed"
> & { transactionHash: Hex; error: string | null };

async function completeListed(
  sql: Queryable,
  rows: readonly ListedRow[],
): Promise<TransactionEntry[]> {
  const receivers = rows.map(({ to }) => to);
  // Before Byzantium.
  const lacksStatus = rows.some(({ status }) => status === null);
  const [entries, named, identity] = await Promise.all([
    withBlocks(sql, rows),
    listNamed(sql, receivers),
    lacksStatus ? getChainIdentity(sql) : undefined,
  ]);
  return entries.map(({ transactionHash, error, ...entry }) => ({
    ...entry,
    hash: transactionHash,
    succeeded: hasRowSucceeded({ ...entry, error }, identity?.traced),
    mayBeNamed: named.has(entry.to),
  }));
}

/** The rows for a page of keys, or for places, at most `limit`, in its order. */
async function complete(
  sql: Queryable,
  page: Fragment | Places,
  order: Order,
  limit: number,
): Promise<TransactionEntry[]> {
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
    ORDER BY t.block_number ${direction(sql, order)}, t.transaction_index ${direction(sql, order)}`;
  return readPage(query, limit, ({ input }) => [input]);
}

function keysOf(
  sql: Queryable,
  filter: TransactionFilter,
  order: Order,
  page: PageRange,
): Fragment {
  const key = sql`block_number, transaction_index`;
  if ("address" in filter) return pageOfAddress(sql, key, filter, order, page);
  const towards = orderOf(sql, order);
  const activity = activityWithSides(sql, {
    table: sql`address_transactions`,
    isOf: (address) => sql`address = ${address}`,
    condition: within(sql, filter, order, page),
    key,
    inIndex: towards,
    order: towards,
  });
  return pageOfParties(sql, filter.parties, activity, page);
}

/** Columns of a page of the list of an address. */
function pageOfAddress(
  sql: Queryable,
  columns: Fragment,
  filter: AddressFilter,
  order: Order,
  page: PageRange,
): Fragment {
  return sql`
    SELECT ${columns} FROM address_transactions
    WHERE address = ${filter.address} AND ${within(sql, filter, order, page)} ${onSide(sql, filter.side)}
    ORDER BY ${orderOf(sql, order)} LIMIT ${page.limit} OFFSET ${page.skip}`;
}

function orderOf(sql: Queryable, order: Order): Fragment {
  const towards = direction(sql, order);
  return sql`block_number ${towards}, transaction_index ${towards}`;
}

function within(
  sql: Queryable,
  { blocks, timestamps = {} }: TransactionFilter,
  order: Order,
  page: PageRange,
): Fragment {
  return sql`${inPublishedBlocks(sql, blocks)} ${behindPlace(sql, page, KEY, order)} ${inTimes(sql, timestamps)}`;
}

/**
 * Times become block numbers, so that they bound the range of the index. Where times go back, the bounds are wider by as much,
 * and the blocks between them that are out of time are left out (migrations/0240_times_that_go_back.sql).
 */
function inTimes(
  sql: Queryable,
  { from, to }: NonNullable<TransactionFilter["timestamps"]>,
): Fragment {
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
