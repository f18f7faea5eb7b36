import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { quantity } from "../../src/core/quantity.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { lie } from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const PUBLIC_CHAIN = 5;

describe("an indexer of a public chain, whose node was wrong for a moment,", () => {
  let node: ScriptedNode;
  let database: TestDatabase;
  let indexer: TestIndexer | undefined;

  beforeEach(async () => {
    node = await startScriptedNode({ chain: new ScriptedChain({ chainId: PUBLIC_CHAIN }) });
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await indexer?.stop();
    indexer = undefined;
    await database.drop();
    await node.stop();
  });

  function start(): TestIndexer {
    indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: [node.url],
      finalityDepth: 10,
      requestTimeoutMs: 2_000,
    });
    return indexer;
  }

  async function servedHead(): Promise<{ head: number | null; generation: number } | undefined> {
    const [state] = await database.sql<{ head: number | null; generation: number }[]>`
      SELECT head_number AS head, generation FROM sync_state`;
    return state;
  }

  it("keeps its blocks when one of the machines behind the URL lags far behind", async () => {
    node.chain.mine(50);
    await start().reach(node.chain.head.block.hash);
    await indexer?.stop();
    node.chain.mine(100);
    const old = node.chain.at(20)?.block;
    let lags = false;
    node.fail({
      method: "eth_getBlockByNumber",
      when: ({ params: [number, isWhole] }) => number === quantity(50) && isWhole === false,
      times: 1,
      effect: lie(() => {
        lags = true;
        return null;
      }),
    });
    node.fail({
      method: "eth_getBlockByNumber",
      when: ({ params: [number] }) => lags && number === "latest",
      times: 3,
      effect: lie(() => ({ ...old, transactions: [] })),
    });
    await start().reach(node.chain.head.block.hash);
    expect(lags).toBe(true);
    expect(await servedHead()).toEqual({ head: 150, generation: 0 });
  });
});
