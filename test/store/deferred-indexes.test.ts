import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateFamilies } from "../../src/indexer/state/families.ts";
import { tablesOf } from "../../src/indexer/state/family.ts";
import {
  buildDeferredIndex,
  deferIndexes,
  listDeferredIndexes,
} from "../../src/store/deferred-indexes.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

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
    expect(names).not.toContain("logs_pkey");
    expect(await definitions()).toHaveLength(before.length - names.length - primaryKeys(names));
    for (const name of names) await buildDeferredIndex(sql, name);
    expect(await listDeferredIndexes(sql)).toEqual([]);
    expect(await definitions()).toEqual(before);
  });

  /** A primary key stands twice in the list of definitions. */
  function primaryKeys(names: readonly string[]): number {
    return names.filter((name) => name.endsWith("_pkey")).length;
  }
});
