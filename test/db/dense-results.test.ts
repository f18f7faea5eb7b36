import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = createSql(database.url, { connections: 1 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** Fails behind its fourth row. */
function failLate(client: Sql) {
  return client`SELECT 10 / (5 - n) FROM generate_series(1, 10) n`;
}

async function collect(rows: number) {
  const found: unknown[] = [];
  await sql`SELECT n FROM generate_series(1, 3) n`.cursor(rows, (part) => {
    found.push(...part);
  });
  return found;
}

const three = [{ n: 1 }, { n: 2 }, { n: 3 }];

test("a statement that fails behind its first rows leaves nothing to the next result", async () => {
  await expect(failLate(sql)).rejects.toThrow("division by zero");
  expect([...(await sql`SELECT n FROM generate_series(1, 3) n`)]).toEqual(three);
  await expect(failLate(sql)).rejects.toThrow("division by zero");
  expect([...(await sql.unsafe("SELECT n FROM generate_series(1, 3) n"))]).toEqual(three);
});

test("nor to the first part of one that is read in parts", async () => {
  for (const rows of [2, 100]) {
    await expect(failLate(sql)).rejects.toThrow("division by zero");
    expect(await collect(rows)).toEqual(three);
  }
});

test("nor does the reader of a part that throws", async () => {
  for (const rows of [2, 100]) {
    const reading = sql`SELECT n FROM generate_series(1, 3) n`.cursor(rows, () => {
      throw new RangeError("enough");
    });
    await expect(reading).rejects.toThrow("enough");
    expect([...(await sql`SELECT n FROM generate_series(1, 3) n`)]).toEqual(three);
  }
});

test("an empty result stays empty, a count stays a count", async () => {
  await expect(failLate(sql)).rejects.toThrow("division by zero");
  expect([...(await sql`SELECT WHERE false`)]).toEqual([]);
  expect((await sql`SELECT 1`).count).toBe(1);
});
