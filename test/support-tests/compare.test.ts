import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sql, Transaction } from "../../src/db/client.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { TABLES } from "../support/compare/rows.ts";
import { snapshotDatabase } from "../support/compare/snapshot.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createOracleReader, type Oracle } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { deployWorld } from "../support/world/world.ts";

/** Times of reads, and marks that may be too careful: no chain determines them. */
const FREE = [
  "addresses.balance_block",
  // True of the block where it was asked; the tests of roll-backs look at it.
  "addresses.has_code",
  "addresses.code_seen_block",
  "tokens.metadata_block",
  "tokens.supply_block",
  "tokens.irregular",
  "tokens.unresponsive",
  // When it was asked, and is to be asked again.
  ...["metadata", "supply"].flatMap((fact) =>
    ["read_at", "tries", "due"].map((column) => `tokens.${fact}_${column}`),
  ),
  "token_balances.block_number",
  "token_id_balances.block_number",
  // When all holdings of a token are read again, and why: `test/tokens` looks at what comes of it.
  ...["stale_block", "stale_since", "swept_at", "agreements", "unnamed_from", "mark_reason"].map(
    (column) => `tokens.${column}`,
  ),
];

const PATIENCE_MS = 180_000;

/** SQL for another value than the one in the column. */
const OTHER: Readonly<Record<string, (column: string) => string>> = {
  bytea: (column) => `coalesce(${column}, '') || '\\x00'`,
  text: (column) => `coalesce(${column}, '') || 'x'`,
  boolean: (column) => `NOT ${column}`,
  ARRAY: (column) => `array_append(${column}, 7)`,
  json: () => `'{"another":1}'`,
  date: (column) => `${column} + 400`,
  "timestamp with time zone": (column) => `coalesce(${column}, now()) + interval '1 year'`,
};

describe("the comparison of a database with its chain", () => {
  let anvil: Anvil;
  let database: TestDatabase;
  let oracle: Oracle;

  beforeAll(async () => {
    anvil = await startAnvil();
    const world = await deployWorld(anvil.url);
    for (const scenario of ["envelopes", "creations", "destructions", "multiTokens"] as const) {
      await world.play(scenario);
    }
    await world.play("collectibles");
    oracle = await createOracleReader(anvil.url).read();
    database = await createTestDatabase();
    const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
    await indexer.reach(oracle.head.hash);
    await indexer.stop();
  });

  afterAll(async () => {
    await database?.drop();
    await anvil?.stop();
  });

  /** Runs a statement, compares, and takes the statement back. */
  async function differencesAfter(statement: string): Promise<string[]> {
    const undo = new Error("undo");
    let differences: string[] = [];
    await database.sql
      .begin(async (transaction: Transaction) => {
        await transaction.unsafe(statement);
        differences = await compareDatabase(transaction, oracle);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    return differences;
  }

  it("finds none in an index of the chain", async () => {
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });

  it("finds a change of any column of any table", { timeout: PATIENCE_MS }, async () => {
    const unnoticed: string[] = [];
    for (const { table, column, type } of await listColumns(database.sql)) {
      if (FREE.includes(`${table}.${column}`)) continue;
      const value = (OTHER[type] ?? ((name) => `coalesce(${name}, 0) + 5000`))(column);
      const differences = await differencesAfter(
        `UPDATE ${table} SET ${column} = ${value} WHERE ctid = (SELECT min(ctid) FROM ${table})`,
      );
      if (!differences.some((text) => text.startsWith(table))) unnoticed.push(`${table}.${column}`);
    }
    expect(unnoticed).toEqual([]);
  });

  it("finds a missing row of any table", async () => {
    const unnoticed: string[] = [];
    for (const table of await listFilledTables(database.sql)) {
      const differences = await differencesAfter(
        `DELETE FROM ${table} WHERE ctid = (SELECT min(ctid) FROM ${table})`,
      );
      if (!differences.some((text) => text.startsWith(table))) unnoticed.push(table);
    }
    expect(unnoticed).toEqual([]);
  });

  it("gives equal snapshots of one state, and different ones of two", async () => {
    const before = await snapshotDatabase(database.sql);
    expect(await snapshotDatabase(database.sql)).toEqual(before);
    await database.sql`UPDATE logs SET data = '0x00' WHERE ctid = (SELECT min(ctid) FROM logs)`;
    expect(await snapshotDatabase(database.sql)).not.toEqual(before);
  });
});

/** Without views, whose rows are a table's. */
async function listFilledTables(sql: Sql): Promise<string[]> {
  const filled: string[] = [];
  const views = await sql`SELECT viewname FROM pg_views WHERE schemaname = current_schema()`;
  const names = new Set(views.map(({ viewname }) => viewname));
  for (const table of Object.keys(TABLES)) {
    if (names.has(table)) continue;
    const rows = await sql.unsafe(`SELECT FROM ${table} LIMIT 1`);
    if (rows.length > 0) filled.push(table);
  }
  return filled;
}

async function listColumns(sql: Sql): Promise<{ table: string; column: string; type: string }[]> {
  const tables = await listFilledTables(sql);
  const columns = await sql<{ table: string; column: string; type: string }[]>`
    SELECT table_name AS table, column_name AS column, data_type AS type
    FROM information_schema.columns
    WHERE table_schema = 'public' AND table_name IN ${sql(tables)} AND column_name <> 'singleton'`;
  const state = ["chain_id", "head_hash", "head_timestamp", "traced"];
  const types: Record<string, string> = { head_hash: "bytea", traced: "boolean" };
  return [
    ...columns,
    ...state.map((column) => ({ table: "sync_state", column, type: types[column] ?? "bigint" })),
  ];
}
