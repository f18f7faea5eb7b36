import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { type ClusterServer, urlOf } from "./cluster.ts";
import { type ScaleWorld, startScaleWorld } from "./world.ts";

const PATIENCE = { timeout: 120_000, interval: 100 };

let started: ScaleWorld;
let periscope: Periscope;
beforeAll(async () => {
  started = await startScaleWorld();
});
afterAll(async () => {
  await periscope?.end("SIGKILL");
  await started?.stop();
});

/** Puts a standby in the place of a worker, as an operator does. */
async function replace(worker: ClusterServer, standby: ClusterServer): Promise<void> {
  const own = createSql(urlOf(standby, "postgres"), { connections: 1 });
  await own`SELECT pg_promote()`.catch(() => {});
  await own.end();
  await started.sql`
    SELECT citus_update_node(nodeid, '127.0.0.1', ${standby.port}, true, 1000)
    FROM pg_dist_node WHERE nodeport = ${worker.port}`;
}

async function ask(query: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${(await periscope.ready).api}?${query}`);
  return { status: response.status, body: await response.text() };
}

test("rows that a worker's standby lacks are noticed, and nothing is answered without them", async () => {
  const { anvil, cluster, sql, world } = started;
  const [worker] = cluster.workers as [ClusterServer];
  periscope = startPeriscope({
    CHAIN_ID: "31337",
    RPC_URL: anvil.url,
    DATABASE_URL: urlOf(cluster.coordinator, "postgres"),
  });
  await world.play("fungibles");
  await periscope.ready;
  const read = createOracleReader(anvil.url);
  const expectEqual = async () => {
    const oracle = await read.read();
    await expect.poll(() => compareDatabase(sql, oracle), PATIENCE).toEqual([]);
  };
  await expectEqual();
  const [sender] = world.accounts as [string];
  const lists = `module=account&action=txlist&address=${sender}`;

  // A standby that has all.
  const first = await cluster.follow(worker);
  await world.play("envelopes");
  await expectEqual();
  await worker.crash();
  await replace(worker, first);
  await world.play("fungibles");
  await expectEqual();
  expect((await ask(lists)).status).toBe(200);

  // One that was away while the last blocks came.
  const second = await cluster.follow(first);
  await second.crash();
  for (let block = 0; block < 3; block++) await world.play("fungibles");
  await expectEqual();
  await first.crash();
  await second.start();
  await replace(first, second);
  await expect.poll(() => ask(lists), PATIENCE).toMatchObject({ status: 503 });
  const health = new URL("/health", (await periscope.ready).api);
  const report = async () => (await fetch(health)).text();
  await expect.poll(report, PATIENCE).toContain("has lost rows of published blocks");
  await createJsonRpc(anvil.url).request("anvil_mine", "0x1");
  await expect.poll(() => ask(lists), PATIENCE).toMatchObject({ status: 503 });

  // The server that has them is back.
  await second.crash();
  await first.start();
  await replace(second, first);
  await expectEqual();
  await expect.poll(() => ask(lists), PATIENCE).toMatchObject({ status: 200 });
});
