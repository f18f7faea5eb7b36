import { afterAll, beforeAll, expect, test } from "vitest";
import { getTransaction, listLogsOfTransaction } from "../../../src/store/lists/transactions.ts";
import { addressAt, blockHash, publish, transactionHash } from "../../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

const PAGE = { after: -1, limit: 10 };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await publish(database.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    transactions: [{ blockNumber: 1 }, { blockNumber: 1, transactionIndex: 1 }],
    logs: [{ blockNumber: 1, logIndex: 0, transactionIndex: 1, address: addressAt(3) }],
    syncState: { headNumber: 1 },
  });
});
afterAll(() => database.drop());

test("the logs of a transaction are those of its block, and of no block that took its place", async () => {
  const { sql } = database;
  const [without, having] = await Promise.all([
    getTransaction(sql, transactionHash(1, 0)),
    getTransaction(sql, transactionHash(1, 1)),
  ]);
  if (!without || !having) throw new Error("no transaction");
  expect(await listLogsOfTransaction(sql, without, PAGE)).toEqual([]);
  expect(await listLogsOfTransaction(sql, having, PAGE)).toMatchObject([{ logIndex: 0 }]);
  expect(await listLogsOfTransaction(sql, having, { after: 0, limit: 10 })).toEqual([]);
  const replaced = { ...having, blockHash: blockHash(77) };
  expect(await listLogsOfTransaction(sql, replaced, PAGE)).toBeUndefined();
});
