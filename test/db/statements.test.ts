import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Sql } from "../../src/db/client.ts";
import { timeStatements } from "../../src/db/statements.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
let sql: Sql;
let events: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = timeStatements(database.sql, () => {
    events.push("begun");
    return () => events.push("ended");
  });
});
afterAll(() => database.drop());
beforeEach(() => {
  events = [];
});

test("tells the begin and the end of a query, and hands its rows on", async () => {
  const rows = await sql`SELECT 1 AS one`;
  expect([...rows]).toEqual([{ one: 1 }]);
  expect(events).toEqual(["begun", "ended"]);
});

test("does not count a template that becomes part of another one", async () => {
  const condition = sql`two = ${2}`;
  await sql`SELECT FROM (VALUES (2)) AS numbers (two) WHERE ${condition}`;
  expect(events).toEqual(["begun", "ended"]);
});

test("tells the end of a query that failed, and hands its error on", async () => {
  await expect(sql`SELECT 1 / 0`).rejects.toThrow("division by zero");
  expect(events).toEqual(["begun", "ended"]);
});

test("counts the queries inside a transaction, each once", async () => {
  const rows = await sql.begin("READ ONLY", async (transaction) => {
    await transaction`SELECT 1`;
    return transaction`SELECT current_setting('transaction_read_only') AS mode`;
  });
  expect([...rows]).toEqual([{ mode: "on" }]);
  expect(events).toEqual(["begun", "ended", "begun", "ended"]);
});

test("counts the wait for a connection as part of a query", async () => {
  const waiting = Array.from({ length: 8 }, () => sql`SELECT pg_sleep(0.05)`);
  const settled = Promise.all(waiting);
  await new Promise(setImmediate);
  expect(events).toEqual(Array(8).fill("begun"));
  await settled;
  expect(events.filter((event) => event === "ended")).toHaveLength(8);
});

test("leaves the other abilities of the client as they are", async () => {
  const names = await sql`SELECT ${sql(["b", "a"])} FROM (VALUES (1, 2)) AS t (a, b)`.values();
  expect([...names]).toEqual([[2, 1]]);
  expect(sql.options.max).toBe(5);
});
