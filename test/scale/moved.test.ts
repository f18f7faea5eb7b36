import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createRandom } from "../support/world/random.ts";
import { findBinaries, urlOf } from "./cluster.ts";
import { type ScaleWorld, spreadDatabase, startScaleWorld } from "./world.ts";

const run = promisify(execFile);
const SEED = 1;
const BLOCKS = 10;
const DEPTH = 3;

let started: ScaleWorld;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-dump-"));
  started = await startScaleWorld();
});
afterAll(async () => {
  await started?.stop();
  await rm(folder, { recursive: true, force: true });
});

function indexInto(databaseUrl: string): TestIndexer {
  return startTestIndexer({ databaseUrl, rpcUrls: [started.anvil.url], finalityDepth: 8 });
}

/** As docs/operations/scale.md has it. */
async function move(from: string, to: string): Promise<void> {
  const binaries = findBinaries();
  const file = path.join(folder, "periscope.dump");
  await run(path.join(binaries, "pg_dump"), [
    ...["--format=custom", "--data-only", "--schema=public", `--file=${file}`],
    ...["--exclude-table=migrations", "--exclude-table=writer", from],
  ]);
  await run(path.join(binaries, "pg_restore"), ["--data-only", `--dbname=${to}`, file]);
}

test("a chain of one server is moved to several, and refused until its table of hashes is filled", async () => {
  const { anvil, cluster, sql } = started;
  const coordinator = urlOf(cluster.coordinator, "postgres");
  await sql`CREATE DATABASE single`;
  const single = urlOf(cluster.coordinator, "single");
  const singleSql = createSql(single, { connections: 1 });
  await migrate(singleSql);
  await singleSql.end();
  const oracle = await createOracleReader(anvil.url).read();
  const before = indexInto(single);
  await before.reach(oracle.head.hash);
  await before.stop();

  await move(single, coordinator);
  const indexer = indexInto(coordinator);
  const lostRows = async () => (await sql`SELECT lost_rows FROM sync_state`)[0]?.["lostRows"];
  await indexer.until(async () => (await lostRows()) !== null);
  expect(await lostRows()).toBe("transaction_hashes lacks those of the transactions");
  await sql`
    INSERT INTO transaction_hashes SELECT hash, block_number, transaction_index FROM transactions`;
  await indexer.until(async () => (await lostRows()) === null);
  await indexer.reach(oracle.head.hash);
  expect(await compareDatabase(sql, oracle)).toEqual([]);
  await indexer.stop();
});

/** As docs/operations/database.md has it. */
async function copyOneServer(from: string, to: string): Promise<void> {
  const binaries = findBinaries();
  const file = path.join(folder, "one-server.dump");
  await run(path.join(binaries, "pg_dump"), ["--format=custom", `--file=${file}`, from]);
  await run(path.join(binaries, "pg_restore"), ["--no-owner", `--dbname=${to}`, file]);
}

test("a dump of one server that is made while blocks are rolled back is a state of the chain", async () => {
  const { anvil, cluster, sql, world } = started;
  const [source, target] = ["rolled_back", "rolled_back_copy"] as const;
  for (const name of [source, target]) await sql`CREATE DATABASE ${sql(name)}`;
  const open = (name: string) => createSql(urlOf(cluster.coordinator, name), { connections: 1 });
  const sourceSql = open(source);
  await migrate(sourceSql);
  const indexer = indexInto(urlOf(cluster.coordinator, source));
  const reader = createOracleReader(anvil.url);
  const rpc = createJsonRpc(anvil.url);
  const random = createRandom(SEED);
  const reachHead = async () => indexer.reach((await reader.read()).head.hash);
  const generation = async () =>
    (await sourceSql`SELECT generation FROM sync_state`)[0]?.["generation"] as number;
  for (let step = 0; step < BLOCKS; step++) await world.step(random);
  await reachHead();
  const before = await generation();
  let isDone = false;
  const copying = copyOneServer(
    urlOf(cluster.coordinator, source),
    urlOf(cluster.coordinator, target),
  ).finally(() => {
    isDone = true;
  });
  do {
    await rpc.request("anvil_reorg", DEPTH, []);
    await world.step(random);
    await reachHead();
  } while (!isDone);
  await copying;
  expect(await generation()).toBeGreaterThan(before);
  await indexer.stop();
  await sourceSql.end();

  const resumed = indexInto(urlOf(cluster.coordinator, target));
  const oracle = await reader.read();
  await resumed.reach(oracle.head.hash);
  const targetSql = open(target);
  expect(await compareDatabase(targetSql, oracle)).toEqual([]);
  await targetSql.end();
  await resumed.stop();
});

test("a dump that is made while blocks are indexed, and none is rolled back, is a state of the chain", async () => {
  const { anvil, cluster, sql, world } = started;
  const indexer = indexInto(urlOf(cluster.coordinator, "postgres"));
  const restoredSql = await spreadDatabase(cluster, "restored");
  const read = createOracleReader(anvil.url);
  const [before] = await sql`SELECT generation, head_number FROM sync_state`;
  let isDone = false;
  const moving = move(
    urlOf(cluster.coordinator, "postgres"),
    urlOf(cluster.coordinator, "restored"),
  ).finally(() => {
    isDone = true;
  });
  do await world.play("fungibles");
  while (!isDone);
  await moving;
  await indexer.reach((await read.read()).head.hash);
  await indexer.stop();
  const [after] = await sql`SELECT generation, head_number FROM sync_state`;
  expect(after?.["generation"]).toBe(before?.["generation"]);
  expect(after?.["headNumber"]).toBeGreaterThan(before?.["headNumber"]);

  const resumed = indexInto(urlOf(cluster.coordinator, "restored"));
  const oracle = await read.read();
  await resumed.reach(oracle.head.hash);
  expect(await compareDatabase(restoredSql, oracle)).toEqual([]);
  await resumed.stop();
  await restoredSql.end();
});
