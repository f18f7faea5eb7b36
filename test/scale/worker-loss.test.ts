import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { distributeTables } from "../../src/store/distribution.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";
import { type Cluster, type ClusterServer, startCluster, urlOf } from "./cluster.ts";

const SEED = Number(process.env["SCALE_SEED"] ?? 1);
/** Losses of a worker, and of the coordinator. */
const LOSSES = Number(process.env["SCALE_LOSSES"] ?? 6);
const PATIENCE_MS = 10_000;

let cluster: Cluster;
let anvil: Anvil;
let world: World;
let sql: Sql;
beforeAll(async () => {
  [cluster, anvil] = await Promise.all([startCluster(), startAnvil()]);
  await cluster.join("postgres");
  sql = createSql(urlOf(cluster.coordinator, "postgres"), { connections: 2 });
  await migrate(sql);
  await distributeTables(sql);
  world = await deployWorld(anvil.url);
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await anvil?.stop();
  await cluster?.stop();
});

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
