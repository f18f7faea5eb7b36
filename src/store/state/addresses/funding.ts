import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../../db/client.ts";
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
  const [transaction, internal] = await Promise.all(
    listSearches(sql, address).map((search) => first(sql, address, search)),
  );
  const isInternalFirst = !transaction || (internal && isBefore(internal, transaction));
  const found = isInternalFirst ? internal : transaction;
  return found && { ...found, ...account };
}

type Transfer = Omit<Funding, "codeUnknown"> & { transactionIndex: number };

/** Result of a search step, and its last block. */
type Look = { lastBlock: number | null } & (Transfer | { from: null });

/** Entries of an address in a table of activity, their places, and the rows at these with a condition. */
interface Search {
  entries: Fragment;
  columns: readonly string[];
  rows: Fragment;
  counts: Fragment;
}

function listSearches(sql: Queryable, address: Address): Search[] {
  return [
    {
      entries: sql`address_transactions WHERE address = ${address}`,
      columns: ["block_number", "transaction_index"],
      rows: sql`
        SELECT *, hash AS transaction_hash FROM transactions_at(places.block_number, places.transaction_index)`,
      counts: sql`status IS DISTINCT FROM 0 AND error IS NULL`,
    },
    {
      entries: sql`
        address_internal_transactions WHERE ${hasKey(sql, [sql`address`, sql`${address}::bytea`])} AND valued`,
      columns: ["block_number", "transaction_index", "position"],
      rows: sql`
        SELECT (internal).*, transaction_hash
        FROM internal_transactions_at(places.block_number, places.transaction_index, places.position)`,
      counts: sql`effective AND call_type IS DISTINCT FROM 'callcode'`,
    },
  ];
}

/** Searches the entries of an address in block order, in growing steps with all of the last block, until one fits. */
async function first(sql: Queryable, address: Address, search: Search) {
  const { entries, columns, rows, counts } = search;
  const arrays = columns
    .map((name) => sql`array_agg(${sql(name)}) AS ${sql(name)}`)
    .reduce((all, array) => sql`${all}, ${array}`);
  let afterBlock = -1;
  for (let limit = FIRST_ENTRIES; ; limit = Math.min(limit * GROWTH, MAXIMUM_ENTRIES)) {
    const [found] = await sql<Look[]>`
      WITH page AS MATERIALIZED (
        SELECT ${sql([...columns])} FROM ${entries}
          AND sides & 2 <> 0 AND block_number > ${afterBlock} AND ${inPublishedBlocks(sql)}
        ORDER BY block_number FETCH FIRST (${limit}::bigint) ROWS WITH TIES
      )
      SELECT last_block, b.timestamp AS timestamp_seconds, t.*
      FROM (SELECT max(page.block_number) AS last_block, ${arrays} FROM page) places
      LEFT JOIN LATERAL (
        SELECT block_number, transaction_index, transaction_hash, from_address AS from, value
        FROM (${rows}) rows
        WHERE from_address <> ${address} AND value > 0 AND ${counts}
        ORDER BY ${sql([...columns])}
        LIMIT 1
      ) t ON true
      LEFT JOIN blocks b ON b.number = t.block_number`;
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
