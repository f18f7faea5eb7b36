import type { Queryable, Sql } from "../db/client.ts";
import { type CopyTable, copyInto } from "../db/copy.ts";
import type { EncodedRows } from "./chain.ts";
import { blockColumn, type ChainTableName, chainTables } from "./chain-tables.ts";

/** A table with other rows for a block than expected. */
export interface TableDifference {
  table: string;
  /** The number of rows that are stored and not expected, and of those expected and not stored. */
  stored: number;
  expected: number;
}

/** A tracer's words: they differ between releases of a node. */
const UNSTEADY_COLUMNS: readonly string[] = ["error"];

/** Null in blocks that an earlier release indexed: there the transactions tell. */
const LATER_COLUMNS: readonly string[] = ["gas_price_minimum", "gas_price_maximum"];

/** The tables whose rows of a recorded block differ from the given ones, in the columns that are stored of it. */
export async function findTableDifferences(
  sql: Sql,
  blockNumber: number,
  expected: EncodedRows,
): Promise<TableDifference[]> {
  const found = await sql.begin(async (transaction) => {
    const differences: TableDifference[] = [];
    const ignored = await listIgnoredColumns(transaction, blockNumber);
    for (const [name, table] of Object.entries(chainTables) as [ChainTableName, CopyTable][]) {
      const audited = { ...table, name: `audited_${table.name}` };
      await transaction`
        CREATE TEMPORARY TABLE ${transaction(audited.name)} ON COMMIT DROP
        AS SELECT ${transaction(Object.keys(table.columns))} FROM ${transaction(table.name)} LIMIT 0`;
      const rows = expected.get(name);
      if (rows) await copyInto(transaction, audited, rows.document);
      if (name === "internalTransactions" && (await hasInputsNotKept(transaction, audited.name))) {
        ignored.push("input");
      }
      const columns = Object.keys(table.columns).filter((column) => !ignored.includes(column));
      const [counted] = await transaction<{ stored: number; expected: number }[]>`
        WITH stored AS (
          SELECT jsonb_build_array(${transaction(columns)}) AS line FROM ${transaction(table.name)}
          WHERE ${transaction(blockColumn(name))} = ${blockNumber}
        ), expected AS (
          SELECT jsonb_build_array(${transaction(columns)}) AS line FROM ${transaction(audited.name)}
        )
        SELECT (SELECT count(*) FROM (TABLE stored EXCEPT ALL TABLE expected) a)::int AS stored,
          (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE stored) b)::int AS expected`;
      if (!counted || counted.stored + counted.expected === 0) continue;
      differences.push({ table: table.name, ...counted });
    }
    return differences;
  });
  return found as TableDifference[];
}

async function listIgnoredColumns(sql: Queryable, blockNumber: number): Promise<string[]> {
  const [earlier] = await sql`
    SELECT 1 FROM blocks WHERE number = ${blockNumber} AND gas_price_minimum IS NULL AND gas_price_maximum IS NULL`;
  return earlier ? [...UNSTEADY_COLUMNS, ...LATER_COLUMNS] : [...UNSTEADY_COLUMNS];
}

/** Whether inputs of calls are left out (`chain/call-inputs.ts`), which an earlier release kept. */
async function hasInputsNotKept(sql: Queryable, table: string): Promise<boolean> {
  return (
    (await sql`SELECT 1 FROM ${sql(table)} WHERE position > 0 AND input IS NULL LIMIT 1`).length > 0
  );
}
