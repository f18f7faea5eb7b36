import type { Hex } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc, type JsonRpc } from "../support/oracle/json-rpc.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { callsWithInput, KILOBYTES_128 } from "../support/repeated-input.ts";

describe("transactions that pass on the same memory again and again", () => {
  let anvil: Anvil;
  let rpc: JsonRpc;
  let database: TestDatabase;
  let indexer: TestIndexer;

  beforeEach(async () => {
    anvil = await startAnvil(["--no-mining"]);
    rpc = createJsonRpc(anvil.url);
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await indexer.stop();
    await database.drop();
    await anvil.stop();
  });

  async function send(data: Hex): Promise<void> {
    const [from] = await rpc.request<Hex[]>("eth_accounts");
    await rpc.request("eth_sendTransaction", { from, data, gas: "0x400000" });
  }

  // 300 times 128 KB are 78 MB of an answer, for 145,377 gas.
  it.each([
    ["backfilled", 0],
    ["followed at the head", 64],
  ])("are indexed with all their calls when they are %s", async (_, finalityDepth) => {
    for (let block = 0; block < 3; block++) {
      await send(callsWithInput(300, KILOBYTES_128));
      await send(callsWithInput(2, 2000));
      await rpc.request("evm_mine");
    }
    const { hash } = await rpc.request<{ hash: Hex }>("eth_getBlockByNumber", "latest", false);
    indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url], finalityDepth });
    await indexer.reach(hash);
    const calls = await database.sql<{ calls: number; inputs: number; bytes: number }[]>`
      SELECT count(*)::int AS calls, count(input)::int AS inputs,
        coalesce(sum(length(input)), 0)::int AS bytes
      FROM internal_transactions WHERE position > 0
      GROUP BY block_number, transaction_index ORDER BY block_number, transaction_index`;
    const hostile = { calls: 300, inputs: 0, bytes: 0 };
    const honest = { calls: 2, inputs: 2, bytes: 4000 };
    expect([...calls]).toEqual([hostile, honest, hostile, honest, hostile, honest]);
  });
});
