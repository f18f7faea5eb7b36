import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createRandom } from "../support/world/random.ts";
import { type ClusterServer, urlOf } from "./cluster.ts";
import { type ScaleWorld, startScaleWorld } from "./world.ts";

const SEED = Number(process.env["SCALE_SEED"] ?? 1);
/** Losses of a worker, and of the coordinator. */
const LOSSES = Number(process.env["SCALE_LOSSES"] ?? 6);
const PATIENCE_MS = 10_000;

let started: ScaleWorld;
beforeAll(async () => {
  started = await startScaleWorld();
});
afterAll(() => started?.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Crashes a server once a commit stands between its two phases on a worker, or none is seen for long. */
async function crashAtCommit(victim: ClusterServer, worker: ClusterServer): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const connection = createSql(urlOf(worker, "postgres"), { connections: 1 });
  let prepared: unknown;
  do {
    [prepared] = await connection`SELECT 1 FROM pg_prepared_xacts`;
  } while (!prepared && Date.now() < deadline);
  await victim.crash();
  await connection.end({ timeout: 0 });
}

test(`the index equals the chain after ${LOSSES} losses of servers around commits (seed ${SEED})`, async () => {
  const { cluster, anvil, world, sql } = started;
  const random = createRandom(SEED);
  const indexer = startTestIndexer({
    databaseUrl: urlOf(cluster.coordinator, "postgres"),
    rpcUrls: [anvil.url],
  });
  try {
    for (let loss = 0; loss < LOSSES; loss++) {
      const { coordinator, workers } = cluster;
      const worker = random.pick(workers);
      const victim = loss % 3 === 2 ? coordinator : worker;
      const stepping = world.step(random);
      await crashAtCommit(victim, worker);
      await stepping;
      await world.step(random);
      await pause(random.integer(500));
      await victim.start();
    }
    const oracle = await createOracleReader(anvil.url).read();
    await indexer.reach(oracle.head.hash);
    expect(await compareDatabase(sql, oracle)).toEqual([]);
  } finally {
    await indexer.stop();
  }
});
