import { afterAll, beforeAll, expect, test } from "vitest";
import { sleep } from "../../src/core/async.ts";
import { createSql, type Sql } from "../../src/db/client.ts";
import { finishTransactions } from "../../src/store/writer/recorded-rows.ts";
import { takeWriterLock, type WriterTerm, writeAs } from "../../src/store/writer/writer.ts";
import { addressAt } from "../support/build.ts";
import { type Cluster, startCluster, urlOf } from "./cluster.ts";
import { COMMIT_POINTS, type CommitRelays, startCommitRelays } from "./commit-relays.ts";
import { spreadDatabase } from "./world.ts";

const ROWS = 50;
const RETRY_MS = 20;
const PATIENCE = { timeout: 30_000, interval: 50 };

let cluster: Cluster;
let relays: CommitRelays;
let sql: Sql;
const clients: Sql[] = [];
beforeAll(async () => {
  cluster = await startCluster();
  relays = await startCommitRelays(cluster.workers);
  sql = await spreadDatabase(cluster, "postgres", relays.portOf);
});
afterAll(async () => {
  await relays?.stop();
  await Promise.all([sql, ...clients].map((client) => client?.end({ timeout: 0 })));
  await cluster?.stop();
});

function open(): Sql {
  const client = createSql(urlOf(cluster.coordinator, "postgres"), { connections: 1 });
  clients.push(client);
  return client;
}

/** Commits a row for each of many blocks, which all workers have a part of. */
function commitRows(client: Sql, term: WriterTerm, first: number): Promise<void> {
  return writeAs({ sql: client, term }, async (transaction) => {
    await transaction`
      INSERT INTO withdrawals (block_number, withdrawal_index, validator_index, address, amount)
      SELECT number, number, 1, ${addressAt(4)}::bytea, 1
      FROM generate_series(${first}::bigint, ${first + ROWS - 1}::bigint) AS number`;
  });
}

/** Becomes the writer, once the session of the one before is gone. */
async function becomeWriter(client: Sql): Promise<WriterTerm> {
  for (;;) {
    const term = await takeWriterLock(client);
    if (term) return term;
    await sleep(RETRY_MS);
  }
}

/** Writers that wait for the transaction of the one before. */
async function countWaiting(): Promise<number> {
  const [waiting] = await sql<[{ count: number }]>`
    SELECT count(*)::int FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND ltrim(query, E' \\n') LIKE 'UPDATE writer%'`;
  return waiting.count;
}

async function countRows(first: number): Promise<number> {
  const [rows] = await sql<[{ count: number }]>`
    SELECT count(*)::int FROM withdrawals WHERE block_number BETWEEN ${first} AND ${first + ROWS - 1}`;
  return rows.count;
}

test.each(COMMIT_POINTS.map((point, index) => ({ point, first: index * 1_000 })))(
  "once the connection of a worker that was silent $point ends, the next writer finds all rows of the commit or none",
  async ({ point, first }) => {
    const lockSql = open();
    const term = await becomeWriter(lockSql);
    const held = relays.hold(point);
    const standing = commitRows(open(), term, first).catch(() => {});
    const { end } = await held;

    await lockSql.end();
    const taking = becomeWriter(open());
    // Only then does the session heed no end before the worker has answered, with its transaction still open.
    if (point === "after PREPARE TRANSACTION") await expect.poll(countWaiting, PATIENCE).toBe(1);
    else await taking;
    end();
    const next = await taking;
    expect(next.epoch).toBe(term.epoch + 1);
    await standing;
    const left = async () => {
      await finishTransactions(sql);
      return countRows(first);
    };
    await expect.poll(left, PATIENCE).toBe(point.endsWith("COMMIT PREPARED") ? ROWS : 0);
    await commitRows(open(), next, first + ROWS);
    expect(await countRows(first + ROWS)).toBe(ROWS);
    await Promise.all(clients.splice(0).map((client) => client.end({ timeout: 0 })));
  },
);
