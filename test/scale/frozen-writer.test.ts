import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { takeWriterLock, type WriterTerm, writeAs } from "../../src/store/writer/writer.ts";
import { addressAt } from "../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

const PATIENCE = { timeout: 30_000, interval: 50 };

let database: TestDatabase;
const clients: Sql[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end({ timeout: 0 })));
  await database?.drop();
});

function open(): Sql {
  const client = createSql(database.url, { connections: 1 });
  clients.push(client);
  return client;
}

/** Sessions of workers that take rows. */
async function countCopies(): Promise<number> {
  const [copies] = await database.sql<[{ count: number }]>`
    SELECT sum(result::int) AS count FROM run_command_on_workers(
      'SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND state = ''active'' AND query LIKE ''COPY%withdrawals%''')`;
  return copies.count;
}

test("the next writer waits neither for one that stands still in the middle of a COPY, nor for its part on a worker", async () => {
  const row = `1\t2\t3\t\\${addressAt(4).replace("0x", "\\x")}\t5\n`;
  const copy = (sql: Sql) =>
    sql`COPY withdrawals (block_number, withdrawal_index, validator_index, address, amount) FROM STDIN`.writable();
  const lockSql = open();
  const term = (await takeWriterLock(lockSql)) as WriterTerm;
  const standing = writeAs({ sql: open(), term }, async (transaction) => {
    const stream = await copy(transaction as unknown as Sql);
    stream.on("error", () => {});
    stream.write(row);
    await new Promise(() => {});
  });
  standing.catch(() => {});
  await expect.poll(countCopies, PATIENCE).toBe(1);

  await lockSql.end();
  const next = (await takeWriterLock(open())) as WriterTerm;
  expect(next.epoch).toBe(term.epoch + 1);
  await expect(standing).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  // The same key: it would wait for a transaction that has it.
  await writeAs({ sql: open(), term: next }, async (transaction) => {
    const stream = await copy(transaction as unknown as Sql);
    stream.end(row);
    await new Promise((resolve, reject) => stream.on("finish", resolve).on("error", reject));
  });
  expect(await database.sql`SELECT withdrawal_index FROM withdrawals`).toEqual([
    { withdrawalIndex: 2 },
  ]);
  expect(await countCopies()).toBe(0);
});
