import type { Sql, Transaction } from "../db/client.ts";
import { type BlockRange, type EncodedRows, inRange } from "./chain.ts";
import { chainTables } from "./chain-tables.ts";
import { spreadTables } from "./distribution.ts";

// What was committed on several servers at once may be visible on some of them only: a server that is lost between the
// two phases of a commit shows its part when it is back. Nothing may be derived from rows before all of them are there.

/** Remembers how many rows of a range, from a block on, are recorded by this transaction. */
export async function noteRecordedRows(
  sql: Transaction,
  firstBlock: number,
  encoded: EncodedRows,
): Promise<void> {
  const spread = spreadTables.filter((name) => encoded.has(name));
  await sql`
    INSERT INTO recorded_rows (first_block, table_name, row_count)
    SELECT ${firstBlock}, name, count FROM unnest(
      ${spread.map((name) => chainTables[name].name)}::text[],
      ${spread.map((name) => encoded.get(name)?.rowCount ?? 0)}::int8[]
    ) AS noted (name, count)`;
}

/** Forgets what was noted of blocks that are published. */
export async function forgetRecordedRows(sql: Transaction, lastBlock: number): Promise<void> {
  await sql`DELETE FROM recorded_rows WHERE first_block <= ${lastBlock}`;
}

/** Ends the transactions that a lost server left between the two phases of a commit. */
export async function finishTransactions(sql: Sql): Promise<void> {
  await sql`SELECT recover_prepared_transactions()`;
}

/** Tells in words which table has other rows of the recorded blocks of a range than were noted; null when none has. */
export async function findLostRows(sql: Sql, range: BlockRange): Promise<string | null> {
  const counts = spreadTables.map((name) => {
    const table = chainTables[name].name;
    return sql`
      SELECT ${table}::text AS name, count(*) AS rows FROM ${sql(table)} WHERE ${inRange(sql, range)}`;
  });
  const [lost] = await sql<{ name: string; rows: number; noted: number }[]>`
    WITH found AS MATERIALIZED (${counts.reduce((all, one) => sql`${all} UNION ALL ${one}`)})
    SELECT name, rows, coalesce(noted, 0) AS noted FROM found
    LEFT JOIN (
      SELECT table_name, sum(row_count)::int8 AS noted FROM recorded_rows
      WHERE first_block BETWEEN ${range.from} AND ${range.to} GROUP BY table_name
    ) AS recorded ON table_name = name
    WHERE rows <> coalesce(noted, 0)
    LIMIT 1`;
  return lost ? `${lost.name} has ${lost.rows} rows of ${lost.noted}` : null;
}
