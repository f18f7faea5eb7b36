import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { deployWorld } from "../support/world/world.ts";

// A server, a database or a role may be set to forms and habits of their administrator's. The list of settings is the
// server's own.

/** Values that must be equal under every setting. */
const STATEMENT = `
  SELECT '\\x00ff'::bytea AS bytes, 'a\\b' AS text, '2024-02-03'::date::text AS day, now() - now() = '0'::interval AS same,
    array_position('{1,NULL}'::int[], NULL) AS place, to_timestamp(0)::text AS time, 10::numeric / 3 AS third,
    current_setting('transaction_isolation') AS isolation,
    '\\xff'::bytea = ANY('{"\\\\xff"}'::bytea[]) AS found`;

let database: TestDatabase;
let anvil: Anvil;
beforeAll(async () => {
  [database, anvil] = await Promise.all([createTestDatabase(), startAnvil()]);
});
afterAll(async () => {
  await database?.drop();
  await anvil?.stop();
});

async function setAll(settings: readonly [name: string, value: string][]): Promise<void> {
  const name = database.sql.unsafe(new URL(database.url).pathname.slice(1));
  await database.sql`ALTER DATABASE ${name} RESET ALL`;
  for (const [setting, value] of settings) {
    await database.sql`ALTER DATABASE ${name} SET ${database.sql(setting)} = ${database.sql.unsafe(`'${value}'`)}`;
  }
}

async function inNewSession<Value>(
  use: (sql: Sql) => Promise<Value>,
  mayBePooled = false,
): Promise<Value> {
  const sql = createSql(database.url, { connections: 1, mayBePooled });
  return use(sql).finally(() => sql.end());
}

test("no form or habit that a database can be set to changes what a statement gives", async () => {
  const settings = await database.sql<{ name: string; value: string }[]>`
    SELECT name, unnest(CASE vartype WHEN 'bool' THEN '{on,off}' ELSE enumvals END) AS value
    FROM pg_settings
    WHERE context IN ('user', 'superuser') AND vartype IN ('bool', 'enum')
      AND name NOT LIKE 'transaction\\_%' AND name <> 'default_transaction_read_only'
      AND category ~ '^(Version and Platform Compatibility|Client Connection Defaults / (Statement|Locale))'`;
  const cases = settings.map(({ name, value }): [string, string] => [name, value]);
  cases.push(
    ["DateStyle", "SQL, DMY"],
    ["TimeZone", "Asia/Kolkata"],
    ["extra_float_digits", "-15"],
  );
  expect(cases.map(([name]) => name)).toEqual(
    expect.arrayContaining(["bytea_output", "array_nulls"]),
  );
  const usual = await inNewSession((sql) => sql.unsafe(STATEMENT));
  for (const one of cases) {
    await setAll([one]);
    expect([one, ...(await inNewSession((sql) => sql.unsafe(STATEMENT)))]).toEqual([one, ...usual]);
  }
}, 60_000);

test("a chain is indexed in a database that is set otherwise", async () => {
  await setAll([
    ["bytea_output", "escape"],
    ["standard_conforming_strings", "off"],
    ["array_nulls", "off"],
    ["DateStyle", "SQL, DMY"],
    ["TimeZone", "Asia/Kolkata"],
    ["default_transaction_isolation", "serializable"],
    ["statement_timeout", "1"],
    ["lock_timeout", "10"],
    ["idle_session_timeout", "100"],
  ]);
  await inNewSession(async (sql) => {
    await sql`DROP SCHEMA public CASCADE`;
    await migrate(sql);
  });
  await deployWorld(anvil.url);
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  try {
    const oracle = await createOracleReader(anvil.url).read();
    await indexer.reach(oracle.head.hash);
    expect(await inNewSession((sql) => compareDatabase(sql, oracle))).toEqual([]);
  } finally {
    await indexer.stop();
  }
});

test("behind a pooler, bytes in another form are refused", async () => {
  await setAll([["bytea_output", "escape"]]);
  await expect(inNewSession((sql) => sql`SELECT '\\x00ff'::bytea`, true)).rejects.toThrow(
    "set bytea_output to hex",
  );
});
