import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import type { PageRange } from "../lists/large-pages.ts";
import { behindKey, inPublishedBlocks } from "../lists/page.ts";

/** A contract by its first appearance; -1 without a creation. */
export interface SeenContract {
  address: Address;
  blockNumber: number;
  transactionIndex: number;
  position: number;
}

const KEY = {
  block_number: "bigint",
  transaction_index: "bigint",
  position: "bigint",
  address: "bytea",
} as const;

/** Lists contracts by first appearance. With `unverified`, only those without sources but with code. */
export function listContracts(sql: Queryable, kind: "all" | "unverified", page: PageRange) {
  const isWanted = (address: Fragment, isGone: Fragment) =>
    kind === "all"
      ? sql``
      : sql`
        AND NOT EXISTS (SELECT 1 FROM valid_verified_contracts v WHERE v.address = ${address})
        AND NOT ${isGone}`;
  const most = page.skip + page.limit;
  return sql<SeenContract[]>`
    SELECT * FROM (
      (SELECT c.address, c.block_number, c.transaction_index, c.position FROM contracts c
       WHERE ${inPublishedBlocks(sql)} AND ${isFirstCreation(sql)} ${isWanted(sql`c.address`, isEmpty(sql))}
         ${behindKey(sql, page, KEY, "asc")}
       ORDER BY c.block_number, c.transaction_index, c.position, c.address LIMIT ${most}::bigint)
      UNION ALL
      (SELECT a.address, block_number, transaction_index, position FROM (
         SELECT address, first_block AS block_number, -1 AS transaction_index, -1 AS position, has_code FROM addresses
       ) a
       WHERE ${isBefore(sql)} ${isWanted(sql`a.address`, isDestroyed(sql))} ${behindKey(sql, page, KEY, "asc")}
       ORDER BY block_number, address LIMIT ${most}::bigint)
    ) AS seen
    ORDER BY block_number, transaction_index, position, address
    LIMIT ${page.limit} OFFSET ${page.skip}`;
}

/** Lists contracts that have no code now, by first appearance. Searches only contracts that once lost their code, which are few. */
export function listEmptyContracts(sql: Queryable, page: PageRange) {
  return sql<SeenContract[]>`
    WITH destroyed AS (
      SELECT DISTINCT address FROM contract_removals WHERE ${inPublishedBlocks(sql)}
    )
    SELECT * FROM (
      SELECT c.address, c.block_number, c.transaction_index, c.position
      FROM (
        SELECT address FROM destroyed
        UNION
        SELECT address FROM contracts
        WHERE code_hash = ${emptyCodeHash(sql)} AND ${inPublishedBlocks(sql)}
      ) candidates
      JOIN contracts c USING (address)
      WHERE ${isFirstCreation(sql)} AND ${isEmpty(sql)}
      UNION ALL
      SELECT a.address, a.first_block, -1, -1 FROM destroyed JOIN addresses a USING (address)
      WHERE ${isBefore(sql)}
    ) AS seen (address, block_number, transaction_index, position)
    WHERE true ${behindKey(sql, page, KEY, "asc")}
    ORDER BY block_number, transaction_index, position, address
    LIMIT ${page.limit} OFFSET ${page.skip}`;
}

/** Returns whether the node reported code and no creation is indexed. A join would read all contracts. */
function isBefore(sql: Queryable): Fragment {
  return sql`a.has_code AND (SELECT traced FROM sync_state) AND (
    SELECT true FROM contracts c WHERE c.address = a.address AND ${inPublishedBlocks(sql)} LIMIT 1) IS NULL`;
}

/** Returns whether the contract at the address `a` destroyed itself. */
function isDestroyed(sql: Queryable): Fragment {
  return sql`EXISTS (
    SELECT 1 FROM contract_removals d WHERE d.address = a.address AND ${inPublishedBlocks(sql)})`;
}

/** Returns whether the creation `c` is the first of its address. */
function isFirstCreation(sql: Queryable): Fragment {
  return sql`NOT EXISTS (
    SELECT 1 FROM contracts earlier
    WHERE earlier.address = c.address
      AND (earlier.block_number, earlier.transaction_index, earlier.position)
        < (c.block_number, c.transaction_index, c.position))`;
}

/** Returns whether the address of the creation `c` is known to have no code now. */
function isEmpty(sql: Queryable): Fragment {
  return sql`EXISTS (
    SELECT 1 FROM (${newestCreation(sql, sql`c.address`)}) newest
    WHERE newest.code_hash = ${emptyCodeHash(sql)} AND NOT EXISTS (
      SELECT 1 FROM addresses a WHERE a.address = c.address AND a.code_seen_block >= newest.block_number)
    OR EXISTS (
      SELECT 1 FROM contract_removals d
      WHERE d.address = c.address AND ${inPublishedBlocks(sql)}
        AND (d.block_number, d.transaction_index, d.position)
          > (newest.block_number, newest.transaction_index, newest.position)))`;
}

/** Selects the newest published creation of an address. */
export function newestCreation(sql: Queryable, address: Fragment): Fragment {
  return sql`
    SELECT block_number, transaction_index, position, creator, code_hash FROM contracts
    WHERE address = ${address} AND ${inPublishedBlocks(sql)}
    ORDER BY block_number DESC, transaction_index DESC, position DESC
    LIMIT 1`;
}

/** Returns keccak-256 of no bytes, as a literal like in the index `contracts_empty`. */
export function emptyCodeHash(sql: Queryable): Fragment {
  return sql`'\\xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'::bytea`;
}
