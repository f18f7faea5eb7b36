import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateFamilies } from "../../../src/indexer/state/families.ts";
import { tablesOf } from "../../../src/indexer/state/family.ts";
import {
  buildDeferredIndex,
  deferIndexes,
  listDeferredIndexes,
  vacuumTables,
} from "../../../src/store/writer/deferred-indexes.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

describe("indexes deferred for a first load", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database?.drop());

  async function definitions(): Promise<string[]> {
    const rows = await database.sql<{ text: string }[]>`
      SELECT indexdef AS text FROM pg_indexes WHERE schemaname = 'public'
      UNION ALL
      SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
      ORDER BY 1`;
    return rows.map((row) => row.text);
  }

  it("come back as they were, one by one", async () => {
    const { sql } = database;
    const before = await definitions();
    await sql.begin((transaction) => deferIndexes(transaction, tablesOf(stateFamilies)));
    const names = await listDeferredIndexes(sql);
    expect(names).toContain("address_transactions_pkey");
    expect(names).toContain("logs_address_topic0");
    expect(names).toContain("token_balances_read");
    expect(names).not.toContain("logs_pkey");
    expect(names).not.toContain("token_balances_key");
    expect(await definitions()).toHaveLength(before.length - names.length - primaryKeys(names));
    for (const name of names) await buildDeferredIndex(sql, name);
    expect(await listDeferredIndexes(sql)).toEqual([]);
    expect(await definitions()).toEqual(before);
  });

  it("come back as what was about to replace them", async () => {
    const { sql } = database;
    await sql`
      INSERT INTO index_builds VALUES ('logs_address', 'logs', '(address, block_number, data)', 'logs_address'),
        ('transactions_hash', 'transactions', '(hash)', 'transactions_hash'),
        ('logs_pkey', 'logs', '(block_number)', 'logs_pkey')`;
    await sql`CREATE INDEX logs_address_new ON logs (address)`;
    await sql.begin((transaction) => deferIndexes(transaction, tablesOf(stateFamilies)));
    for (const name of await listDeferredIndexes(sql)) await buildDeferredIndex(sql, name);
    const after = (await definitions()).join("\n");
    expect(after).toContain(
      "logs_address ON public.logs USING btree (address, block_number, data)",
    );
    expect(after).toContain("transactions_hash ON public.transactions USING btree (hash)");
    expect(after).not.toContain("logs_address_new");
    expect(await sql`SELECT name FROM index_builds`).toEqual([{ name: "logs_pkey" }]);
  });

  it("tables of which much was written anew give its places free", async () => {
    const { sql } = database;
    await sql`CREATE TABLE held AS SELECT n FROM generate_series(1, 10000) AS n`;
    await sql.begin(async (transaction) => {
      await transaction`UPDATE held SET n = n + 1`;
      await transaction`SELECT pg_stat_force_next_flush()`;
    });
    const dead = () =>
      sql`SELECT n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'held'`;
    expect(await dead()).toEqual([{ dead: 10_000 }]);
    await vacuumTables(sql, ["held"]);
    expect(await dead()).toEqual([{ dead: 0 }]);
  });

  it("tables whose places an old snapshot keeps are not vacuumed again and again", async () => {
    const { sql } = database;
    await sql`CREATE TABLE kept AS SELECT n FROM generate_series(1, 10000) AS n`;
    await sql.begin("ISOLATION LEVEL REPEATABLE READ", async (reader) => {
      await reader`SELECT count(*) FROM kept`;
      await sql.begin(async (transaction) => {
        await transaction`UPDATE kept SET n = n + 1`;
        await transaction`SELECT pg_stat_force_next_flush()`;
      });
      for (let batch = 0; batch < 2; batch++) await vacuumTables(sql, ["kept"]);
    });
    const tables = await sql`
      SELECT vacuum_count AS vacuums, n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'kept'`;
    expect(tables).toEqual([{ vacuums: 1, dead: 10_000 }]);
  });

  /** A primary key stands twice in the list of definitions. */
  function primaryKeys(names: readonly string[]): number {
    return names.filter((name) => name.endsWith("_pkey")).length;
  }
});
