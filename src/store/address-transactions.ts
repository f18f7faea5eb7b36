import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Fragment, Queryable } from "../db/client.ts";
import { mayBeNamed } from "./called-methods.ts";
import { readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  direction,
  inPublishedBlocks,
  type Order,
  type PageRange,
} from "./page.ts";
import { hasSucceeded } from "./transactions.ts";

/** Where an address stands: sender, or receiver and created contract. */
export type Side = "from" | "to";

export interface TransactionFilter {
  address: Address;
  side?: Side | undefined;
  blocks?: BlockBounds;
  /** Unix seconds, inclusive. */
  timestamps?: { from?: number | undefined; to?: number | undefined };
}

/** A transaction with what its block adds. */
export interface TransactionEntry {
  blockNumber: number;
  blockHash: Hex;
  timestampSeconds: number;
  /** Head number minus block number. */
  confirmations: number;
  transactionIndex: number;
  hash: Hex;
  from: Address;
  /** Null for a creation. */
  to: Address | null;
  createdContract: Address | null;
  nonce: string;
  value: string;
  gas: string;
  gasPrice: string;
  gasUsed: string;
  cumulativeGasUsed: string;
  /** Of the receipt; null before Byzantium. */
  status: number | null;
  /** See `hasSucceeded`. */
  succeeded: boolean | null;
  input: Hex;
  /** Whether something is stored of the receiver that may name what is called. */
  mayBeNamed: boolean;
}

/** Further condition on the `sides` of an activity row, or nothing. */
export function onSide(sql: Queryable, side: Side | undefined): Fragment {
  if (side === undefined) return sql``;
  return side === "from" ? sql`AND sides & 1 <> 0` : sql`AND sides & 6 <> 0`;
}

/** Transactions that the address sent, received or was created by, in the order of block and position. */
export async function listTransactionsOfAddress(
  sql: Queryable,
  { address, side, blocks, timestamps = {} }: TransactionFilter,
  order: Order,
  { limit, skip }: PageRange,
): Promise<TransactionEntry[]> {
  const towards = direction(sql, order);
  return complete(
    sql,
    sql`
      SELECT block_number, transaction_index FROM address_transactions
      WHERE address = ${address} AND ${inPublishedBlocks(sql, blocks)}
        ${inTimes(sql, timestamps)} ${onSide(sql, side)}
      ORDER BY block_number ${towards}, transaction_index ${towards}
      LIMIT ${limit} OFFSET ${skip}`,
    towards,
    limit,
  );
}

/** Transactions of a range of blocks, in the order of block and position. */
export async function listTransactionsOfBlocks(
  sql: Queryable,
  blocks: BlockBounds,
  order: Order,
  { limit, skip }: PageRange,
): Promise<TransactionEntry[]> {
  const towards = direction(sql, order);
  return complete(
    sql,
    sql`
      SELECT block_number, transaction_index FROM transactions
      WHERE ${inPublishedBlocks(sql, blocks)}
      ORDER BY block_number ${towards}, transaction_index ${towards}
      LIMIT ${limit} OFFSET ${skip}`,
    towards,
    limit,
  );
}

/** The rows whose keys a page of at most `limit` gives, in its order. */
function complete(
  sql: Queryable,
  page: Fragment,
  towards: Fragment,
  limit: number,
): Promise<TransactionEntry[]> {
  const query = sql<TransactionEntry[]>`
    SELECT page.block_number, b.hash AS block_hash, b.timestamp AS timestamp_seconds,
      (SELECT head_number FROM sync_state) - page.block_number AS confirmations, t.*
    FROM (${page}) page
    CROSS JOIN LATERAL (
      SELECT transaction_index, hash, from_address AS from, to_address AS to,
        created_contract, nonce, value, gas, gas_price,
        gas_used, cumulative_gas_used, status, ${hasSucceeded(sql)} AS succeeded, input,
        ${mayBeNamed(sql)} AS may_be_named
      FROM transactions
      WHERE block_number = page.block_number AND transaction_index = page.transaction_index
      LIMIT 1
    ) t
    CROSS JOIN LATERAL (
      SELECT hash, timestamp FROM blocks WHERE number = page.block_number LIMIT 1
    ) b
    ORDER BY page.block_number ${towards}, page.transaction_index ${towards}`;
  return readPage(query, limit, ({ input }) => [input]);
}

/** A time is a block number here, so that it bounds the range of the index. */
function inTimes(
  sql: Queryable,
  { from, to }: NonNullable<TransactionFilter["timestamps"]>,
): Fragment {
  const notBefore =
    from === undefined
      ? sql``
      : sql`AND block_number >= (
          SELECT number FROM blocks WHERE timestamp >= ${from} ORDER BY timestamp, number LIMIT 1)`;
  const notAfter =
    to === undefined
      ? sql``
      : sql`AND block_number <= (
          SELECT number FROM blocks WHERE timestamp <= ${to}
          ORDER BY timestamp DESC, number DESC LIMIT 1)`;
  return sql`${notBefore} ${notAfter}`;
}
