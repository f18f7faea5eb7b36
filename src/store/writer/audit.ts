import type { Fragment, Queryable, Sql } from "../../db/client.ts";
import { copyInto } from "../../db/copy.ts";
import type { EncodedTable } from "./chain.ts";
import { blockColumn, type ChainTableName, chainTables } from "./chain-tables.ts";

/** The number of rows that are stored and not expected, and of those expected and not stored. */
interface Counted {
  stored: number;
  expected: number;
}

/** A table with other rows for a block than expected. */
export interface TableDifference extends Counted {
  table: string;
}

/** A tracer's words: they differ between releases of a node. */
const UNSTEADY_COLUMNS: readonly string[] = ["error"];

/** Null in blocks that an earlier release indexed: there the transactions tell. */
const LATER_COLUMNS: readonly string[] = ["gas_price_minimum", "gas_price_maximum"];

/**
 * How the rows of a recorded block in one table differ from the expected ones, none where they are undefined, in the columns that
 * are stored of it; undefined when they do not. Columns of pages count where a row has them.
 */
export async function findTableDifference(
  sql: Sql,
  name: ChainTableName,
  blockNumber: number,
  encoded: EncodedTable | undefined,
): Promise<TableDifference | undefined> {
  const { name: table, columns } = chainTables[name];
  const ofBlock = sql`${sql(table)} WHERE ${sql(blockColumn(name))} = ${blockNumber}`;
  const counted = encoded
    ? await sql.begin(async (transaction) => {
        const audited = { ...encoded.table, name: `audited_${table}` };
        const all = Object.keys(audited.columns);
        await transaction`
          CREATE TEMPORARY TABLE ${transaction(audited.name)} ON COMMIT DROP
          AS SELECT ${transaction(all)} FROM ${transaction(table)} LIMIT 0`;
        await copyInto(transaction, audited, encoded.document);
        const ignored = await listIgnoredColumns(transaction, blockNumber);
        if (
          name === "internalTransactions" &&
          (await hasInputsNotKept(transaction, audited.name))
        ) {
          ignored.push("input");
        }
        const count = async (columns: readonly string[], condition: Fragment) => {
          const compared = columns.filter((column) => !ignored.includes(column));
          const [row] = await transaction<[Counted]>`
            WITH stored AS (
              SELECT jsonb_build_array(${transaction(compared)}) AS line FROM ${ofBlock} ${condition}
            ), expected AS (
              SELECT jsonb_build_array(${transaction(compared)}) AS line FROM ${transaction(audited.name)}
            )
            SELECT (SELECT count(*) FROM (TABLE stored EXCEPT ALL TABLE expected) a)::int AS stored,
              (SELECT count(*) FROM (TABLE expected EXCEPT ALL TABLE stored) b)::int AS expected`;
          return row;
        };
        const own = Object.keys(columns);
        const counted = await count(own, sql``);
        if (own.length === all.length || counted.stored + counted.expected > 0) return counted;
        // Where the first is null, all are: of a row that is read in its place.
        const first = all[own.length] as string;
        const carried = await count(all, sql`AND ${sql(first)} IS NOT NULL`);
        return { stored: carried.stored, expected: 0 };
      })
    : (await sql<[Counted]>`SELECT count(*)::int AS stored, 0 AS expected FROM ${ofBlock}`)[0];
  if (counted.stored + counted.expected === 0) return undefined;
  return { table, ...counted };
}

async function listIgnoredColumns(sql: Queryable, blockNumber: number): Promise<string[]> {
  const [earlier] = await sql`
    SELECT 1 FROM blocks WHERE number = ${blockNumber} AND gas_price_minimum IS NULL AND gas_price_maximum IS NULL`;
  return earlier ? [...UNSTEADY_COLUMNS, ...LATER_COLUMNS] : [...UNSTEADY_COLUMNS];
}

/** Whether inputs of calls are left out (`chain/traces/call-inputs.ts`), which an earlier release kept. */
async function hasInputsNotKept(sql: Queryable, table: string): Promise<boolean> {
  return (
    (await sql`SELECT 1 FROM ${sql(table)} WHERE position > 0 AND input IS NULL LIMIT 1`).length > 0
  );
}
