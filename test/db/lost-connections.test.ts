import { afterAll, beforeAll, expect, test } from "vitest";
import { sleep } from "../../src/core/async.ts";
import { createSql, type Sql } from "../../src/db/client.ts";
import { isDatabaseGone } from "../../src/db/failures.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

// Sessions are ended by the server while every kind of statement is under way.

const CUTS = 80;
const WORKERS = 12;

let database: TestDatabase;
let killer: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  killer = createSql(database.url, { connections: 1 });
});
afterAll(async () => {
  await killer.end();
  await database.drop();
});

async function cut(): Promise<void> {
  await killer`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
}

test("every statement ends, as lost or as done, and all connections work again", async () => {
  const sql = createSql(database.url, { connections: 4 });
  const kinds: (() => PromiseLike<unknown>)[] = [
    () => sql`SELECT 1`,
    () => sql`SELECT ${1}::int, pg_sleep(0.02)`,
    () =>
      sql.begin(async (transaction) => {
        await transaction`SELECT 1`;
        await transaction`SELECT pg_sleep(0.01)`;
        await transaction`SELECT 2`;
      }),
    // Idle when it is cut off.
    () =>
      sql.begin(async (transaction) => {
        await transaction`SELECT 1`;
        await sleep(30);
        await transaction`SELECT ${2}::int`;
      }),
    () => sql.begin(() => sleep(30)),
    () => sql.begin((transaction) => Promise.all([transaction`SELECT 1`, transaction`SELECT 2`])),
    () => Promise.all([sql`SELECT 1`, sql`SELECT pg_sleep(0.01)`, sql`SELECT 3`]),
  ];
  let isOver = false;
  const failures: unknown[] = [];
  let done = 0;
  async function work(worker: number): Promise<void> {
    for (let turn = worker; !isOver; turn++) {
      try {
        await kinds[turn % kinds.length]?.();
        done++;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  const working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
  for (let count = 0; count < CUTS; count++) {
    await cut();
    await sleep(10 + Math.random() * 60);
  }
  isOver = true;
  await working;
  expect(done).toBeGreaterThan(0);
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.filter((error) => !isDatabaseGone(error))).toEqual([]);
  const after = await Promise.all(Array.from({ length: 8 }, () => sql`SELECT 1 AS one`));
  expect(after.flat()).toEqual(Array.from({ length: 8 }, () => ({ one: 1 })));
  await sql.end();
});

test("a transaction that lost its connection does not go on over the next one", async () => {
  const sql = createSql(database.url, { connections: 1 });
  await sql`DROP TABLE IF EXISTS notes`;
  await sql`CREATE TABLE notes (note text)`;
  const inserted = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const second: PromiseSettledResult<unknown>[] = [];
  const transaction = sql.begin(async (lost) => {
    await lost`INSERT INTO notes VALUES ('first')`;
    inserted.resolve();
    await goOn.promise;
    second.push(...(await Promise.allSettled([lost`INSERT INTO notes VALUES ('second')`])));
  });
  transaction.catch(() => {});
  await inserted.promise;
  await cut();
  // The client's only connection is a new one by now.
  await expect.poll(() => sql`SELECT 1 AS one`.catch(() => [])).toEqual([{ one: 1 }]);
  goOn.resolve();
  await expect(transaction).rejects.toThrow();
  await expect.poll(() => second.map(({ status }) => status)).toEqual(["rejected"]);
  expect(await killer`SELECT note FROM notes`).toEqual([]);
  await sql.end();
});
