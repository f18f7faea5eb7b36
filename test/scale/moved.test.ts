import { execFileSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { findBinaries, urlOf } from "./cluster.ts";
import { type ScaleWorld, startScaleWorld } from "./world.ts";

let started: ScaleWorld;
beforeAll(async () => {
  started = await startScaleWorld();
});
afterAll(() => started?.stop());

function indexInto(databaseUrl: string): TestIndexer {
  return startTestIndexer({ databaseUrl, rpcUrls: [started.anvil.url], finalityDepth: 8 });
}

/** As docs/operations/scale.md has it. */
function move(from: string, to: string): void {
  const binaries = findBinaries();
  const dump = execFileSync(
    path.join(binaries, "pg_dump"),
    [
      ...["--format=custom", "--data-only", "--schema=public"],
      ...["--exclude-table=migrations", "--exclude-table=writer", from],
    ],
    { maxBuffer: 2 ** 30 },
  );
  execFileSync(path.join(binaries, "pg_restore"), ["--data-only", `--dbname=${to}`], {
    input: dump,
  });
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

  move(single, coordinator);
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
