import { afterEach, beforeEach, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { raiseStorm, STORM_KINDS } from "../support/storm.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";

// How quickly a storm is followed is measured by `npm run test:storm`; here, that it is.

let anvil: Anvil;
let world: World;
let database: TestDatabase;
let indexer: TestIndexer;

beforeEach(async () => {
  anvil = await startAnvil();
  world = await deployWorld(anvil.url);
  database = await createTestDatabase();
  indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  await indexer.reach((await createOracleReader(anvil.url).read()).head.hash);
});

afterEach(async () => {
  await indexer?.stop();
  await database?.drop();
  await anvil?.stop();
});

// A chain that is reset before its first published block was not bound again: only resets show it.
it.each([
  ["anvil_reset", ["anvil_reset"]],
  ["all kinds", STORM_KINDS],
] as const)("a storm of %s serves no foreign block and ends in step", async (_, kinds) => {
  const random = createRandom(7);
  const { sql } = database;
  const acts = 15;
  const report = await raiseStorm({
    url: anvil.url,
    world,
    sql,
    random,
    kinds,
    everyMs: 200,
    acts,
  });
  expect(report.foreign).toEqual([]);
  const oracle = await createOracleReader(anvil.url).read();
  await indexer.reach(oracle.head.hash);
  expect(await compareDatabase(sql, oracle)).toEqual([]);
});
