import { afterAll, beforeAll, expect, test } from "vitest";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createRandom } from "../support/world/random.ts";
import { urlOf } from "./cluster.ts";
import { type ScaleWorld, startScaleWorld } from "./world.ts";

const SEED = 1;

let started: ScaleWorld;
beforeAll(async () => {
  started = await startScaleWorld();
});
afterAll(() => started?.stop());

async function isMoved(): Promise<boolean> {
  const [job] = await started.sql<{ state: string }[]>`SELECT state FROM citus_rebalance_status()`;
  expect(["scheduled", "running", "finished"]).toContain(job?.state);
  return job?.state === "finished";
}

test("a worker is added and takes its share while blocks are indexed and rolled back", async () => {
  const { cluster, anvil, world, sql } = started;
  const random = createRandom(SEED);
  const rpc = createJsonRpc(anvil.url);
  const indexer = startTestIndexer({
    databaseUrl: urlOf(cluster.coordinator, "postgres"),
    rpcUrls: [anvil.url],
  });
  try {
    for (let step = 0; step < 10; step++) await world.step(random);
    const { port } = await cluster.add();
    await sql`SELECT citus_rebalance_start()`;
    do {
      await rpc.request("anvil_reorg", 2, []);
      await world.step(random);
    } while (!(await isMoved()));
    const oracle = await createOracleReader(anvil.url).read();
    await indexer.reach(oracle.head.hash);
    expect(await compareDatabase(sql, oracle)).toEqual([]);
    const [moved] = await sql<[{ tables: number }]>`
      SELECT count(DISTINCT table_name)::int AS tables FROM citus_shards WHERE nodeport = ${port}`;
    expect(moved.tables).toBe(9);
  } finally {
    await indexer.stop();
  }
});
