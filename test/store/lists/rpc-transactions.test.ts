import { afterAll, beforeAll, expect, test } from "vitest";
import { getReceipt, getSignedTransaction } from "../../../src/store/lists/rpc-transactions.ts";
import { addressAt, publish, transactionHash } from "../../support/build.ts";
import { plansOf, slowNodes } from "../../support/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  await publish(database.sql, {
    blocks: numbers.map((number) => ({ number })),
    transactions: numbers.flatMap((blockNumber) => [
      { blockNumber, transactionIndex: 0 },
      { blockNumber, transactionIndex: 1 },
    ]),
    logs: numbers.flatMap((blockNumber) =>
      [0, 1, 2, 3].map((logIndex) => ({
        blockNumber,
        logIndex,
        transactionIndex: logIndex >> 1,
        address: addressAt(9),
      })),
    ),
  });
  await database.sql`ANALYZE`;
});
afterAll(() => database.drop());

test("a transaction by hash is read by keys alone; no more than its places are sorted", async () => {
  const { sql } = database;
  const plans = await plansOf(sql, () => getSignedTransaction(sql, transactionHash(7)));
  expect(plans.flatMap(slowNodes).filter((node) => node.startsWith("Seq Scan"))).toEqual([]);
});

test("a receipt is read by keys alone; no more than its logs are sorted", async () => {
  const { sql } = database;
  const plans = await plansOf(sql, () => getReceipt(sql, transactionHash(7, 1)));
  expect(plans.flatMap(slowNodes).filter((node) => node.startsWith("Seq Scan"))).toEqual([]);
  const receipt = await getReceipt(sql, transactionHash(7, 1));
  expect(receipt?.logs.map(({ logIndex }) => logIndex)).toEqual([2, 3]);
});
