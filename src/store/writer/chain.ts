import type { Hex } from "../../core/evm/hex.ts";
import type { Queryable, Transaction } from "../../db/client.ts";
import { type CopyTable, copyInto, encodeRows } from "../../db/copy.ts";
import { blockColumn, type ChainRows, type ChainTableName, chainTables } from "./chain-tables.ts";

/** Block numbers, both inclusive. */
export interface BlockRange {
  from: number;
  to: number;
}

/** Condition on a block range by the bare `column`; one block is an equality, which selects one server of several. */
export function inRange(sql: Queryable, { from, to }: BlockRange, column = "block_number") {
  return from === to
    ? sql`${sql(column)} = ${from}`
    : sql`${sql(column)} BETWEEN ${from} AND ${to}`;
}

/** Most untouched rows of a kind of state that a roll-back reads again, ordered by block: PostgreSQL lacks statistics after a load. */
export const READ_AGAIN_MAXIMUM = 1_000;

/** Tables with rows, encoded for COPY. */
export type EncodedRows = Map<ChainTableName, EncodedTable>;

interface EncodedTable {
  rowCount: number;
  document: Buffer;
}

const TABLE_NAMES = Object.keys(chainTables) as ChainTableName[];

/** Encodes the rows of the tables for COPY; tables without rows are left out. */
export function encodeChainRows(rows: ChainRows, tables: readonly ChainTableName[] = TABLE_NAMES) {
  const encoded: EncodedRows = new Map();
  for (const name of tables) {
    const rowCount = rows[name].length;
    if (rowCount === 0) continue;
    const document = encodeRows<CopyTable["columns"]>(chainTables[name], rows[name]);
    encoded.set(name, { rowCount, document });
  }
  return encoded;
}

/** Copies encoded rows into their tables. Rows above the head are invisible until the head moves. */
export async function insertChainRows(sql: Transaction, encoded: EncodedRows): Promise<void> {
  // All are sent at once, without waiting for earlier answers.
  await Promise.all(
    [...encoded].map(([name, { document }]) => copyInto(sql, chainTables[name], document)),
  );
}

/** Deletes the blocks above a number, with all rows recorded for them, from all chain tables. */
export async function deleteChainRowsAbove(sql: Transaction, blockNumber: number): Promise<void> {
  // All are sent at once: a reorganisation does not wait for each answer.
  await Promise.all([
    ...TABLE_NAMES.map(
      (name) => sql`
      DELETE FROM ${sql(chainTables[name].name)} WHERE ${sql(blockColumn(name))} > ${blockNumber}`,
    ),
    sql`UPDATE sync_state SET delegations_to = ${blockNumber} WHERE delegations_to > ${blockNumber}`,
    // Row counts of several blocks are void when only some of them stay; so are earlier ones.
    sql`
      DELETE FROM recorded_rows WHERE first_block > ${blockNumber} OR EXISTS (
        SELECT 1 FROM recorded_rows WHERE first_block <= ${blockNumber} AND last_block > ${blockNumber})`,
  ]);
}

/** Empties the chain tables and the given tables of state. TRUNCATE would also empty them for requests with a snapshot of the old chain. */
export async function deleteChain(sql: Transaction, stateTables: readonly string[]): Promise<void> {
  const tables = [
    ...TABLE_NAMES.map((name) => chainTables[name].name),
    ...stateTables,
    "recorded_rows",
  ];
  await Promise.all(tables.map((table) => sql`DELETE FROM ${sql(table)}`));
}

/** Returns the number of the last recorded block among the first `count` numbers of a range, else of the first one; undefined without any. */
export async function findLastBlock(sql: Queryable, { from, to }: BlockRange, count: number) {
  const [found] = await sql<{ number: number | null }[]>`
    SELECT coalesce(
      (SELECT max(number) FROM blocks WHERE number BETWEEN ${from} AND ${Math.min(to, from + count - 1)}),
      (SELECT min(number) FROM blocks WHERE number BETWEEN ${from} AND ${to})) AS number`;
  return found?.number ?? undefined;
}

/** Returns why recorded blocks do not continue the chain, or null. `parentHash` is that of the block before, null without one. */
export async function findGap(sql: Queryable, range: BlockRange, parentHash: Hex | null) {
  const length = range.to - range.from + 1;
  const [gap] = await sql<{ number: number | null; reason: string }[]>`
    WITH recorded AS (
      SELECT number, parent_hash, transaction_count,
        lag(hash, 1, ${parentHash}::bytea) OVER (ORDER BY number) AS expected_parent
      FROM blocks WHERE ${inRange(sql, range, "number")}
    ), counted AS MATERIALIZED (
      SELECT block_number, count(*)::int AS transactions FROM transactions
      WHERE ${inRange(sql, range)} GROUP BY block_number
    )
    SELECT number, CASE
        WHEN parent_hash <> expected_parent THEN 'does not continue the block before it'
        ELSE 'has another number of transactions than recorded' END AS reason
      FROM recorded LEFT JOIN counted ON block_number = number
      WHERE parent_hash <> expected_parent OR transaction_count <> coalesce(transactions, 0)
    UNION ALL
    SELECT NULL, count(*) || ' of ' || ${length}::int || ' blocks were recorded'
      FROM (
        SELECT number FROM recorded UNION ALL SELECT block_number FROM left_out_blocks WHERE ${inRange(sql, range)}
      ) AS numbers HAVING count(*) <> ${length}::int
    LIMIT 1`;
  if (!gap) return null;
  return gap.number === null ? gap.reason : `block ${gap.number} ${gap.reason}`;
}
