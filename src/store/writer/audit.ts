import { hasRows, type Queryable, type Sql } from "../../db/client.ts";
import { type CopyTable, copyInto } from "../../db/copy.ts";
import { blockColumn, type ChainTableName, chainTables } from "./chain-tables.ts";

/** Numbers of stored rows that are not expected, and of expected rows that are not stored. */
interface Counted {
  stored: number;
  expected: number;
}

/** A table whose rows of a block differ from the expected ones. */
export interface TableDifference extends Counted {
  table: string;
}

/** A tracer's text: it differs between releases of a node. */
const UNSTEADY_COLUMNS: readonly string[] = ["error"];

/** Null in blocks that an earlier release indexed. */
const LATER_COLUMNS: readonly string[] = ["gas_price_minimum", "gas_price_maximum"];

/** Compares a block's stored rows with a COPY document, which is undefined for no rows. Returns undefined if they are equal. */
export async function findTableDifference(
  sql: Sql,
  name: ChainTableName,
  blockNumber: number,
  document: Buffer | undefined,
): Promise<TableDifference | undefined> {
  const table: CopyTable = chainTables[name];
  const ofBlock = sql`${sql(table.name)} WHERE ${sql(blockColumn(name))} = ${blockNumber}`;
  const [counted] = document
    ? await sql.begin(async (transaction) => {
        const audited = { ...table, name: `audited_${table.name}` };
        await transaction`
          CREATE TEMPORARY TABLE ${transaction(audited.name)} ON COMMIT DROP
          AS SELECT ${transaction(Object.keys(table.columns))} FROM ${transaction(table.name)} LIMIT 0`;
        await copyInto(transaction, audited, document);
        const ignored = await listIgnoredColumns(transaction, blockNumber);
        if (
          name === "internalTransactions" &&
          (await hasInputsNotKept(transaction, audited.name))
        ) {
          ignored.push("input");
        }
        const columns = Object.keys(table.columns).filter((column) => !ignored.includes(column));
        return transaction<Counted[]>`
          WITH stored AS (
            SELECT jsonb_build_array(${transaction(columns)}) AS line FROM ${ofBlock}
          ), expected AS (
            SELECT jsonb_build_array(${transaction(columns)}) AS line FROM ${transaction(audited.name)}
          )
          SELECT (SELECT count(*) FROM (TABLE stored EXCEPT ALL TABLE expected) a)::int AS stored,
            (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE stored) b)::int AS expected`;
      })
    : await sql<Counted[]>`SELECT count(*)::int AS stored, 0 AS expected FROM ${ofBlock}`;
  if (!counted || counted.stored + counted.expected === 0) return undefined;
  return { table: table.name, ...counted };
}

async function listIgnoredColumns(sql: Queryable, blockNumber: number): Promise<string[]> {
  const [earlier] = await sql`
    SELECT 1 FROM blocks WHERE number = ${blockNumber} AND gas_price_minimum IS NULL AND gas_price_maximum IS NULL`;
  return earlier ? [...UNSTEADY_COLUMNS, ...LATER_COLUMNS] : [...UNSTEADY_COLUMNS];
}

/** Returns whether inputs of calls are dropped (`chain/traces/call-inputs.ts`), which an earlier release kept. */
function hasInputsNotKept(sql: Queryable, table: string) {
  return hasRows(sql`SELECT 1 FROM ${sql(table)} WHERE position > 0 AND input IS NULL LIMIT 1`);
}
