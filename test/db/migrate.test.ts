import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
let folder: string;
let schema: string;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  schema = `schema_${count++}`;
  folder = await mkdtemp(path.join(tmpdir(), "migrations-"));
  await file("0001_first.sql", "CREATE TABLE first (n int);");
  return () => rm(folder, { recursive: true });
});

const file = (name: string, text: string) => writeFile(path.join(folder, name), text);

/** A start of the program with the files of the folder. */
async function start(): Promise<number[]> {
  const sql = createSql(database.url, { schema, connections: 1 });
  try {
    return await migrate(sql, schema, pathToFileURL(`${folder}/`));
  } finally {
    await sql.end();
  }
}

test("runs each file once, in the order of the numbers", async () => {
  await file("0010_third.sql", "ALTER TABLE second ADD COLUMN m int;");
  await file("0002_second.sql", "CREATE TABLE second (n int);");
  expect(await start()).toEqual([1, 2, 10]);
  expect(await start()).toEqual([]);
  await file("0011_fourth.sql", "CREATE TABLE fourth (n int);");
  expect(await start()).toEqual([11]);
});

test("runs each file once when several processes start together", async () => {
  const started = await Promise.all([start(), start(), start()]);
  expect(started.flat()).toEqual([1]);
});

test("leaves nothing of a file that fails, and runs it whole at the next start", async () => {
  await file("0002_second.sql", "CREATE TABLE second (n int); SELECT 1 / 0;");
  await expect(start()).rejects.toThrow("division by zero");
  await file("0002_second.sql", "CREATE TABLE second (n int);");
  expect(await start()).toEqual([2]);
});

test("refuses a file that was edited after it ran", async () => {
  await start();
  await file("0001_first.sql", "CREATE TABLE first (n bigint);");
  await expect(start()).rejects.toThrow("0001_first.sql is not the file");
});

test("takes the files of a database from before checksums as they are, and holds them from then on", async () => {
  await start();
  await database.sql`ALTER TABLE ${database.sql(schema)}.migrations DROP COLUMN checksum`;
  expect(await start()).toEqual([]);
  await file("0001_first.sql", "CREATE TABLE first (n bigint);");
  await expect(start()).rejects.toThrow("0001_first.sql is not the file");
});

test("refuses a database of a newer program", async () => {
  await file("0002_second.sql", "SELECT 1;");
  await start();
  await rm(path.join(folder, "0002_second.sql"));
  await expect(start()).rejects.toThrow("migrated to version 2 by a newer Periscope");
});

test("refuses a database whose encoding lacks characters", async () => {
  const { sql, url } = database;
  await sql`CREATE DATABASE western
    ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0`;
  const western = createSql(new URL("/western", url).href, { connections: 1 });
  await expect(migrate(western)).rejects.toThrow("keeps text as LATIN1");
  await western.end();
  await sql`DROP DATABASE western`;
});
