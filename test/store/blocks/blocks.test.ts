import { afterAll, beforeAll, expect, test } from "vitest";
import {
  findBlockNumber,
  getBlock,
  getBlockCounts,
  getBlockPace,
} from "../../../src/store/blocks/blocks.ts";
import { blockHash, blockTime, publish } from "../../support/build.ts";
import { plansOf, slowNodes } from "../../support/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await publish(database.sql, {
    blocks: Array.from({ length: 300 }, (_, number) => ({ number })),
    syncState: { headNumber: 250, headHash: blockHash(250), headTimestamp: blockTime(250) },
  });
  await database.sql`ANALYZE`;
});
afterAll(() => database.drop());

test.each<[string, () => Promise<unknown>]>([
  ["getBlock", () => getBlock(database.sql, { number: 7 })],
  ["getBlockPace", () => getBlockPace(database.sql)],
  ["findBlockNumber before", () => findBlockNumber(database.sql, blockTime(40), "before")],
  ["findBlockNumber after", () => findBlockNumber(database.sql, blockTime(40), "after")],
  ["getBlock by hash", () => getBlock(database.sql, { hash: blockHash(7) })],
])("%s reads one index range and sorts nothing", async (_name, ask) => {
  const plans = await plansOf(database.sql, ask);
  expect(plans.flatMap(slowNodes)).toEqual([]);
});

test("getBlockCounts reads one block's ranges; it sorts no more than that block's rows", async () => {
  const plans = await plansOf(database.sql, () => getBlockCounts(database.sql, 7));
  expect(plans.flatMap(slowNodes).filter((node) => node.startsWith("Seq Scan"))).toEqual([]);
});

test("no query speaks of a block above the published head", async () => {
  const { sql } = database;
  expect(await getBlock(sql, { number: 251 })).toBeUndefined();
  expect(await getBlockCounts(sql, 251)).toBeUndefined();
  expect(await getBlock(sql, { hash: blockHash(251) })).toBeUndefined();
  expect(await findBlockNumber(sql, blockTime(250) + 1, "after")).toBeUndefined();
  expect(await findBlockNumber(sql, blockTime(299), "before")).toBe(250);
  expect(await getBlockPace(sql)).toEqual({ headNumber: 250, distances: 100, seconds: 1500 });
});
