import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createRandom } from "../support/world/random.ts";
import { type ClusterServer, urlOf } from "./cluster.ts";
import { type ScaleWorld, startScaleWorld } from "./world.ts";

const SEED = Number(process.env["SCALE_SEED"] ?? 1);
/** Enough for a first load without secondary indexes. */
const BLOCKS = 1_200;
const STEPS = 24;
/** Anvil 1.7.1 loses the code of contracts behind a deeper one. */
const DEEP_REORG = 8;
const PATIENCE = { timeout: 60_000, interval: 100 };

let started: ScaleWorld;
const indexers: TestIndexer[] = [];
beforeAll(async () => {
  started = await startScaleWorld();
});
afterAll(async () => {
  for (const indexer of indexers) await indexer.stop();
  await started?.stop();
});

function indexInto(coordinator: ClusterServer): TestIndexer {
  const indexer = startTestIndexer({
    databaseUrl: urlOf(coordinator, "postgres"),
    rpcUrls: [started.anvil.url],
    finalityDepth: DEEP_REORG - 2,
  });
  indexers.push(indexer);
  return indexer;
}

/** Waits until the WAL up to now is in the archive. */
async function archive(server: ClusterServer): Promise<void> {
  const sql: Sql = createSql(urlOf(server, "postgres"), { connections: 1 });
  const [switched] = await sql`SELECT pg_walfile_name(pg_switch_wal()) AS name`;
  const archived = async () =>
    (await sql`SELECT last_archived_wal AS name FROM pg_stat_archiver`)[0];
  await expect
    .poll(async () => (await archived())?.["name"] >= switched?.["name"], PATIENCE)
    .toBe(true);
  await sql.end();
}

test(`a cluster that is restored to a point amid writing follows the chain again (seed ${SEED})`, async () => {
  const { anvil, cluster, sql, world } = started;
  const random = createRandom(SEED);
  const rpc = createJsonRpc(anvil.url);
  const points: string[] = [];
  const point = async (name: string) => {
    await sql`SELECT citus_create_restore_point(${name})`;
    points.push(name);
  };
  for (let step = 0; step < 5; step++) await world.step(random);
  await rpc.request("anvil_mine", `0x${BLOCKS.toString(16)}`);
  const backup = await cluster.backUp();

  const indexer = indexInto(cluster.coordinator);
  const phases: Record<string, boolean> = { backfilling: false, indexing: false };
  await indexer.until(async () => {
    const { phase } = indexer.status();
    if (phases[phase] === false) {
      phases[phase] = true;
      await point(phase);
    }
    return phase === "following";
  });
  for (let step = 0; step < STEPS; step++) {
    if (step % 3 === 2) await rpc.request("anvil_reorg", 2, []);
    await world.step(random);
    if (step % 6 !== 5) continue;
    await new Promise((resolve) => setTimeout(resolve, random.integer(400)));
    await point(`step${step}`);
  }
  await Promise.all([cluster.coordinator, ...cluster.workers].map(archive));
  await indexer.stop();
  indexers.pop();
  await rpc.request("anvil_reorg", DEEP_REORG, []);
  await world.step(random);
  await Promise.all([cluster.coordinator, ...cluster.workers].map((server) => server.crash()));

  const oracle = await createOracleReader(anvil.url).read();
  for (const name of points) {
    const restored = await backup.restore(name);
    const restoredSql = createSql(urlOf(restored.coordinator, "postgres"), { connections: 1 });
    const [state] = await restoredSql`SELECT head_number, lost_rows FROM sync_state`;
    process.stdout.write(`${name}: ${JSON.stringify(state)}\n`);
    const resumed = indexInto(restored.coordinator);
    await resumed.reach(oracle.head.hash);
    expect(await compareDatabase(restoredSql, oracle), name).toEqual([]);
    await resumed.stop();
    indexers.pop();
    await restoredSql.end();
    await restored.stop();
  }
});
