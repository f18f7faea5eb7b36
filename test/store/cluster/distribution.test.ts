import { afterAll, beforeAll, expect, it } from "vitest";
import { spreadTables } from "../../../src/store/cluster/distribution.ts";
import { chainTables } from "../../../src/store/writer/chain-tables.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** The spread tables that each view names: itself, or in the types of the functions that it calls. */
async function tablesOfViews(): Promise<Map<string, string[]>> {
  const { sql } = database;
  const names = spreadTables.map((name) => chainTables[name].name);
  const rows = await sql<{ view: string; tables: string }[]>`
    WITH named AS (
      SELECT v.relname AS view, d.refclassid AS class, d.refobjid AS object
      FROM pg_class v JOIN pg_rewrite r ON r.ev_class = v.oid
      JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refobjid <> v.oid
      WHERE v.relkind = 'v' AND v.relnamespace = current_schema()::regnamespace
    ), types AS (
      SELECT view, unnest(prorettype || proargtypes::oid[] || proallargtypes) AS type
      FROM named JOIN pg_proc p ON class = 'pg_proc'::regclass AND p.oid = object
    ), tables AS (
      SELECT view, typrelid AS table FROM types JOIN pg_type t ON type IN (t.oid, t.typarray)
      UNION SELECT view, object FROM named WHERE class = 'pg_class'::regclass
    )
    SELECT view, string_agg(relname, ' ' ORDER BY relname) AS tables
    FROM tables JOIN pg_class c ON c.oid = "table" WHERE relname = ANY(${names}::text[]) GROUP BY view`;
  return new Map(rows.map(({ view, tables }) => [view, tables.split(" ")]));
}

// Citus gives a new worker the functions of a view before any table. Of one table it creates the
// row's type in time; a view that names two of them stops `citus_add_node` ("failure on connection
// marked as essential").
it("has no view that names more than one of the tables on several servers", async () => {
  const views = [...(await tablesOfViews())];
  expect(views.filter(([, tables]) => tables.length > 1)).toEqual([]);
  await database.sql`
    CREATE VIEW of_two AS SELECT t.hash, i.position FROM blocks b
    CROSS JOIN LATERAL transaction_at(b.number, 0) t
    CROSS JOIN LATERAL internal_transaction_at(b.number, 0, 0) i`;
  expect((await tablesOfViews()).get("of_two")).toEqual(["internal_transactions", "transactions"]);
});
