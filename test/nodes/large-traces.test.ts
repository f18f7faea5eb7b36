import { createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { callsWithInput, KILOBYTES_128 } from "../support/repeated-input.ts";
import { DEVELOPER_KEY, type Geth, startGeth } from "./geth.ts";

let geth: Geth;
let database: TestDatabase;

beforeAll(async () => {
  geth = await startGeth();
  database = await createTestDatabase();
});

afterAll(async () => {
  await database?.drop();
  await geth?.stop();
});

it("traces of 288 MB from geth are indexed whole, but for the inputs that are not kept", async () => {
  const account = privateKeyToAccount(DEVELOPER_KEY);
  const client = createWalletClient({ account, transport: http(geth.url) }).extend(publicActions);
  const data = callsWithInput(1100, KILOBYTES_128);
  const hash = await client.sendTransaction({ chain: null, data, gas: 1_000_000n });
  const { status, blockHash } = await client.waitForTransactionReceipt({ hash });
  expect(status).toBe("success");
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [geth.url] });
  try {
    await indexer.reach(blockHash);
    const calls = await database.sql<{ calls: number; inputs: number }[]>`
      SELECT count(*)::int AS calls, count(input)::int AS inputs
      FROM internal_transactions WHERE position > 0`;
    expect([...calls]).toEqual([{ calls: 1100, inputs: 0 }]);
  } finally {
    await indexer.stop();
  }
});
