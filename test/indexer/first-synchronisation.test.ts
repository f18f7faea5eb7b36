import { afterEach, expect, test } from "vitest";
import { listProblems } from "../../src/api/ops/health.ts";
import { getIndexHealth } from "../../src/store/health.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const BLOCKS = 12;
const NOT_DONE = "the first synchronisation is running";

let database: TestDatabase;
let node: ScriptedNode;
let indexer: TestIndexer;
afterEach(async () => {
  await indexer.stop();
  await node.stop();
  await database.drop();
});

async function start(blocks: number): Promise<void> {
  database = await createTestDatabase();
  node = await startScriptedNode();
  node.chain.mine(blocks);
  indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url] });
}

test("a short chain is not ready before its head is reached, and then stays so", async () => {
  await start(BLOCKS);
  let problems: string[] = [NOT_DONE];
  while (problems.includes(NOT_DONE)) {
    const health = await getIndexHealth(database.sql);
    problems = listProblems(health);
    if (!problems.includes(NOT_DONE)) expect(health.headNumber).toBeGreaterThanOrEqual(BLOCKS);
  }
  node.chain.mine(30);
  await indexer.reach(node.chain.head.block.hash);
  expect(listProblems(await getIndexHealth(database.sql))).not.toContain(NOT_DONE);
});

test("a chain of its first block only is ready with that", async () => {
  await start(0);
  await indexer.reach(node.chain.head.block.hash);
  await expect
    .poll(async () => listProblems(await getIndexHealth(database.sql)))
    .not.toContain(NOT_DONE);
});

test("a chain that is cut back while it is loaded is ready at its new head", async () => {
  await start(BLOCKS);
  await indexer.until(() => indexer.status().nodeHead !== null);
  node.chain.reset();
  await indexer.reach(node.chain.head.block.hash);
  await expect
    .poll(async () => listProblems(await getIndexHealth(database.sql)))
    .not.toContain(NOT_DONE);
});
