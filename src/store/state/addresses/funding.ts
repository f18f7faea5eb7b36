import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import type { Queryable } from "../../../db/client.ts";
import { hasKey } from "../../index-keys.ts";
import { inPublishedBlocks } from "../../lists/page.ts";

/** The first transfer of value to an account. */
export interface Funding {
  blockNumber: number;
  timestampSeconds: number;
  from: Address;
  transactionHash: Hex;
  value: string;
  /** True if the account may still be a contract: its code was never read. */
  codeUnknown: boolean;
}

/** Entries of the first step, which nearly always include the one that funded the account. */
const FIRST_ENTRIES = 10;
/** Factor by which steps grow, up to a maximum. */
const GROWTH = 30;
const MAXIMUM_ENTRIES = 9_000;

/** Returns the first transfer of value to the address by another account; undefined for none, and for a contract. */
export async function getFunding(sql: Queryable, address: Address): Promise<Funding | undefined> {
  const [account] = await sql<Pick<Funding, "codeUnknown">[]>`
    SELECT coalesce(NOT traced OR a.has_code IS NULL, true) AS code_unknown
    FROM sync_state LEFT JOIN addresses a ON a.address = ${address}
    WHERE a.has_code IS NOT TRUE
      AND NOT EXISTS (SELECT 1 FROM contracts WHERE address = ${address} AND ${inPublishedBlocks(sql)})`;
  if (!account) return undefined;
  const [transaction, internal] = await Promise.all([
    first(sql, address, findTransaction),
    first(sql, address, findInternalTransaction),
  ]);
  const isInternalFirst = !transaction || (internal && isBefore(internal, transaction));
  const found = isInternalFirst ? internal : transaction;
  return found && { ...found, ...account };
}

type Transfer = Omit<Funding, "codeUnknown"> & { transactionIndex: number };

/** Result of a search step, and its last block. */
type Look = { lastBlock: number | null } & (Transfer | { from: null });

/** Searches the next entries of an address, up to `limit` and all of the last block. */
type LookAt = (
  sql: Queryable,
  address: Address,
  afterBlock: number,
  limit: number,
) => Promise<Look[]>;

/** Searches the entries of an address in block order, in growing steps, until one fits. */
async function first(sql: Queryable, address: Address, lookAt: LookAt) {
  let afterBlock = -1;
  for (let limit = FIRST_ENTRIES; ; limit = Math.min(limit * GROWTH, MAXIMUM_ENTRIES)) {
    const [found] = await lookAt(sql, address, afterBlock, limit);
    if (!found || found.lastBlock === null) return undefined;
    if (found.from !== null) return found;
    afterBlock = found.lastBlock;
  }
}

/** Returns whether an internal transaction comes before a transaction: it follows its own. */
function isBefore(internal: Transfer, transaction: Transfer): boolean {
  return (
    internal.blockNumber < transaction.blockNumber ||
    (internal.blockNumber === transaction.blockNumber &&
      internal.transactionIndex < transaction.transactionIndex)
  );
}

const findTransaction: LookAt = (sql, address, afterBlock, limit) =>
  sql<Look[]>`
    WITH page AS MATERIALIZED (
      SELECT block_number, transaction_index FROM address_transactions
      WHERE address = ${address} AND sides & 2 <> 0
        AND block_number > ${afterBlock} AND ${inPublishedBlocks(sql)}
      ORDER BY block_number FETCH FIRST (${limit}::bigint) ROWS WITH TIES
    )
    SELECT last_block, b.timestamp AS timestamp_seconds, t.*
    FROM (
      SELECT max(block_number) AS last_block, array_agg(block_number) AS blocks,
        array_agg(transaction_index) AS indexes
      FROM page
    ) places
    LEFT JOIN LATERAL (
      SELECT block_number, transaction_index, hash AS transaction_hash, from_address AS from, value
      FROM transactions_at(places.blocks, places.indexes)
      WHERE from_address <> ${address} AND value > 0 AND status IS DISTINCT FROM 0 AND error IS NULL
      ORDER BY block_number, transaction_index
      LIMIT 1
    ) t ON true
    LEFT JOIN blocks b ON b.number = t.block_number`;

const findInternalTransaction: LookAt = (sql, address, afterBlock, limit) =>
  sql<Look[]>`
    WITH page AS MATERIALIZED (
      SELECT block_number, transaction_index, position FROM address_internal_transactions
      WHERE ${hasKey(sql, [sql`address`, sql`${address}::bytea`])} AND sides & 2 <> 0 AND valued
        AND block_number > ${afterBlock} AND ${inPublishedBlocks(sql)}
      ORDER BY block_number FETCH FIRST (${limit}::bigint) ROWS WITH TIES
    )
    SELECT last_block, b.timestamp AS timestamp_seconds, i.*
    FROM (
      SELECT max(block_number) AS last_block, array_agg(block_number) AS blocks,
        array_agg(transaction_index) AS indexes, array_agg(position) AS positions
      FROM page
    ) places
    LEFT JOIN LATERAL (
      SELECT block_number, transaction_index, transaction_hash, from_address AS from, value
      FROM (
        SELECT (internal).*, transaction_hash
        FROM internal_transactions_at(places.blocks, places.indexes, places.positions)
      ) rows
      WHERE from_address <> ${address} AND value > 0 AND effective
        AND call_type IS DISTINCT FROM 'callcode'
      ORDER BY block_number, transaction_index, position
      LIMIT 1
    ) i ON true
    LEFT JOIN blocks b ON b.number = i.block_number`;
