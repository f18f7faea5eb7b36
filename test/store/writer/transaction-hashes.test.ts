import { afterEach, beforeEach, expect, it } from "vitest";
import { createSql } from "../../../src/db/client.ts";
import { listRecordedTables } from "../../../src/store/writer/transaction-hashes.ts";
import { takeWriterLock, type WriterTerm } from "../../../src/store/writer/writer.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
let lockSql: ReturnType<typeof createSql>;
let term: WriterTerm;
beforeEach(async () => {
  database = await createTestDatabase();
  lockSql = createSql(database.url, { connections: 1 });
  term = (await takeWriterLock(lockSql)) as WriterTerm;
  // As an earlier version made it.
  await database.sql`DROP VIEW transaction_hashes`;
  await database.sql`
    CREATE TABLE transaction_hashes (
      hash bytea PRIMARY KEY, block_number bigint NOT NULL, transaction_index integer NOT NULL
    )`;
});
afterEach(async () => {
  await lockSql.end();
  await database.drop();
});

/** Returns whether hashes are recorded, once a writer begins. */
async function recordsHashes(): Promise<boolean> {
  const tables = await listRecordedTables({ sql: database.sql, term });
  expect(tables).toContain("transactions");
  return tables.includes("transactionHashes");
}

it("hashes are recorded while the index of the transactions is missing", async () => {
  const { sql } = database;
  await sql`DROP INDEX transactions_hash`;
  expect(await recordsHashes()).toBe(true);
  await sql`CREATE INDEX transactions_hash ON transactions (hash)`;
  expect(await recordsHashes()).toBe(false);
  expect(await recordsHashes()).toBe(false);
});

it("hashes are recorded while somebody reads their table for long", async () => {
  const reader = createSql(database.url, { connections: 1 });
  await reader.begin(async (transaction) => {
    await transaction`SELECT FROM transaction_places('\\x01')`;
    expect(await recordsHashes()).toBe(true);
  });
  await reader.end();
  expect(await recordsHashes()).toBe(false);
});

it("a table whose index waits for the end of a first load goes with that index", async () => {
  const { sql } = database;
  await sql`INSERT INTO deferred_indexes VALUES ('transaction_hashes_hash', ''), ('logs_topic0', '')`;
  expect(await recordsHashes()).toBe(false);
  expect(await sql`SELECT name FROM deferred_indexes`).toEqual([{ name: "logs_topic0" }]);
});
