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
         ${isBehind(sql, page, [sql`c.block_number`, sql`c.transaction_index`, sql`c.position`, sql`c.address`])}
       ORDER BY c.block_number, c.transaction_index, c.position, c.address LIMIT ${most}::bigint)
      UNION ALL
      (SELECT a.address, a.first_block, -1, -1 FROM addresses a
       WHERE ${isBefore(sql)} ${isWanted(sql`a.address`, isDestroyed(sql))}
         ${isBehind(sql, page, [sql`a.first_block`, sql`-1`, sql`-1`, sql`a.address`])}
       ORDER BY a.first_block, a.address LIMIT ${most}::bigint)
    ) AS seen (address, block_number, transaction_index, position)
    ORDER BY block_number, transaction_index, position, address
    LIMIT ${page.limit} OFFSET ${page.skip}`;
}

/** Lists contracts that have no code now, by first appearance. Searches only contracts that once lost their code, which are few. */
export function listEmptyContracts(sql: Queryable, page: PageRange) {
  const key = [sql`block_number`, sql`transaction_index`, sql`position`, sql`address`];
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
    WHERE true ${isBehind(sql, page, key)}
    ORDER BY block_number, transaction_index, position, address
    LIMIT ${page.limit} OFFSET ${page.skip}`;
}

/** Returns the condition that a contract follows the page's key. `place` is its first appearance, and its address. */
function isBehind(sql: Queryable, page: PageRange, place: readonly Fragment[]): Fragment {
  const forms = ["bigint", "bigint", "bigint", "bytea"] as const;
  const columns = place.map((column, index) => [column, forms[index] ?? "bytea"] as const);
  return behindKey(sql, page, columns, "asc");
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
    SELECT 1 FROM (
      SELECT block_number, transaction_index, position, code_hash FROM contracts
      WHERE address = c.address AND ${inPublishedBlocks(sql)}
      ORDER BY block_number DESC, transaction_index DESC, position DESC
      LIMIT 1
    ) newest
    WHERE newest.code_hash = ${emptyCodeHash(sql)} AND NOT EXISTS (
      SELECT 1 FROM addresses a WHERE a.address = c.address AND a.code_seen_block >= newest.block_number)
    OR EXISTS (
      SELECT 1 FROM contract_removals d
      WHERE d.address = c.address AND ${inPublishedBlocks(sql)}
        AND (d.block_number, d.transaction_index, d.position)
          > (newest.block_number, newest.transaction_index, newest.position)))`;
}

/** Returns keccak-256 of no bytes, as a literal like in the index `contracts_empty`. */
export function emptyCodeHash(sql: Queryable): Fragment {
  return sql`'\\xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'::bytea`;
}
