import { afterAll, beforeAll, expect, test } from "vitest";
import { compareDatabase } from "../support/compare/compare.ts";
import { snapshotDatabase } from "../support/compare/snapshot.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createRandom } from "../support/world/random.ts";
import { urlOf } from "./cluster.ts";
import { COMMIT_POINTS, type CommitRelays, startCommitRelays } from "./commit-relays.ts";
import { type ScaleWorld, spreadDatabase, startScaleWorld } from "./world.ts";

const SEED = Number(process.env["SCALE_SEED"] ?? 1);
/** Losses of servers, each third one of the coordinator. With 24 of them all kinds are there. */
const LOSSES = Number(process.env["SCALE_LOSSES"] ?? 24);

let relays: CommitRelays;
let started: ScaleWorld;
let indexer: TestIndexer;
beforeAll(async () => {
  started = await startScaleWorld(async (workers) => {
    relays = await startCommitRelays(workers);
    return relays.portOf;
  });
  indexer = indexInto("postgres");
});
afterAll(async () => {
  // Held data end with it.
  await relays?.stop();
  await indexer?.stop();
  await started?.stop();
});

function indexInto(database: string): TestIndexer {
  const { cluster, anvil } = started;
  return startTestIndexer({
    databaseUrl: urlOf(cluster.coordinator, database),
    rpcUrls: [anvil.url],
  });
}

/** Waits until the chain is indexed, and compares. */
async function expectEqual(when: string): Promise<void> {
  const oracle = await createOracleReader(started.anvil.url).read();
  await indexer.reach(oracle.head.hash);
  expect(await compareDatabase(started.sql, oracle), when).toEqual([]);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(`the index equals the chain after each of ${LOSSES} losses of servers within commits (seed ${SEED})`, async () => {
  const { cluster, anvil, world, sql } = started;
  const random = createRandom(SEED);
  const rpc = createJsonRpc(anvil.url);
  for (let step = 0; step < 5; step++) await world.step(random);
  await expectEqual("at first");
  for (let loss = 0; loss < LOSSES; loss++) {
    const point = COMMIT_POINTS[loss % COMMIT_POINTS.length] as (typeof COMMIT_POINTS)[number];
    const isCoordinator = loss % 3 === 2;
    const isRollBack = loss % 24 >= 12;
    const name = `${isCoordinator ? "the coordinator" : "a worker"} lost ${point} of a ${isRollBack ? "roll-back" : "block"}`;
    const held = relays.hold(point);
    // A block without rows on the workers would be committed without them.
    await (isRollBack ? rpc.request("anvil_reorg", 2, []) : world.play("fungibles"));
    const { worker, pid } = await held;
    const [session] = await sql`SELECT query FROM pg_stat_activity WHERE pid = ${pid}`;
    expect(session?.["query"], `${loss}: ${name}`).toMatch(/^commit/i);
    const victim = isCoordinator ? cluster.coordinator : worker;
    await victim.crash();
    await world.step(random);
    await pause(random.integer(500));
    await victim.start();
    await expectEqual(`${loss}: ${name}`);
  }
});

test("every table equals that of an index that lost no server", async () => {
  const { anvil, cluster, sql, world } = started;
  const undisturbedSql = await spreadDatabase(cluster, "undisturbed", relays.portOf);
  const undisturbed = indexInto("undisturbed");
  try {
    const { head } = await createOracleReader(anvil.url).read();
    await undisturbed.reach(head.hash);
    const expected = await snapshotDatabase(undisturbedSql, world.silentTokens);
    for (const [table, rows] of Object.entries(await snapshotDatabase(sql, world.silentTokens))) {
      expect(rows, table).toEqual(expected[table as keyof typeof expected]);
    }
  } finally {
    await undisturbed.stop();
    await undisturbedSql.end();
  }
});
