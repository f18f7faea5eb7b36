import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RawBlock } from "../../src/chain/types.ts";
import { quantity } from "../../src/core/evm/quantity.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { lie } from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const PUBLIC_CHAIN = 5;
const OTHER_HASH = `0x${"ab".repeat(32)}`;
const SOON = { timeout: 20_000, interval: 100 };

describe("an indexer of a public chain, whose node was wrong for a moment,", () => {
  let node: ScriptedNode;
  let other: ScriptedNode | undefined;
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
    await Promise.all([node.stop(), other?.stop()]);
    other = undefined;
  });

  function start(finalityDepth = 1_000): TestIndexer {
    indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: other ? [node.url, other.url] : [node.url],
      finalityDepth,
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
    await start(10).reach(node.chain.head.block.hash);
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
    await start(10).reach(node.chain.head.block.hash);
    expect(lags).toBe(true);
    expect(await servedHead()).toEqual({ head: 150, generation: 0 });
  });

  describe("and said another chain's id when the indexer began again,", () => {
    beforeEach(async () => {
      node.chain.mine(3);
      await start().reach(node.chain.head.block.hash);
    });

    async function beginAgain(): Promise<void> {
      await database.sql`UPDATE writer SET epoch = epoch + 1`;
      node.chain.mine(1);
    }

    it("asks it again", async () => {
      node.fail({ method: "eth_chainId", effect: lie(() => "0x1"), times: 1 });
      await beginAgain();
      await expect.poll(servedHead, SOON).toEqual({ head: 4, generation: 0 });
    });

    it("says so while it waits for its own chain", async () => {
      node.fail({ method: "eth_chainId", effect: lie(() => "0x1") });
      await beginAgain();
      const reason = "node 1 serves chain 1, not chain 5";
      await expect.poll(() => indexer?.status(), SOON).toMatchObject({ phase: "waiting", reason });
      node.heal();
      await expect.poll(servedHead, SOON).toEqual({ head: 4, generation: 0 });
    });
  });

  it.each([
    ["which has all states", Number.POSITIVE_INFINITY],
    ["which has few states", 5],
  ])("traces the first transaction that the node, %s, refused to trace", async (_, statesKept) => {
    node.behaviour.statesKept = statesKept;
    node.chain.mine(9);
    await start().reach(node.chain.head.block.hash);
    node.behaviour.without = ["debug_", "trace_"];
    node.chain.mine({ transactions: [{}] });
    await indexer?.until(() => indexer?.status().phase === "waiting");
    node.behaviour.without = [];
    await expect.poll(servedHead, SOON).toEqual({ head: 10, generation: 0 });
    expect(await database.sql`SELECT traced FROM sync_state`).toEqual([{ traced: true }]);
  });

  /** Waits until the other node was asked for its word on a block that the first one does not have. */
  async function contradicted(witness: ScriptedNode): Promise<void> {
    const asked = witness.count("eth_getBlockByNumber");
    await indexer?.until(() => witness.count("eth_getBlockByNumber") >= asked + 2);
  }

  it("takes it again when the other one goes away", async () => {
    node.chain.mine(5);
    other = await startScriptedNode({ chain: node.chain });
    await start().reach(node.chain.head.block.hash);
    node.fail({
      method: "eth_getBlockByNumber",
      effect: lie((answer) => {
        const block = answer as RawBlock | null;
        return block && Number(block.number) === 5 ? { ...block, hash: OTHER_HASH } : block;
      }),
    });
    await contradicted(other);
    node.heal();
    await other.stop();
    node.chain.mine(1);
    await expect.poll(servedHead, SOON).toEqual({ head: 6, generation: 0 });
  });

  it("leaves it out while it has fewer blocks than the other one", async () => {
    node.chain.mine(5);
    other = await startScriptedNode({ chain: node.chain.fork() });
    await start(0).reach(node.chain.head.block.hash);
    node.chain.reorg(1, { salt: "another" });
    await contradicted(other);
    other.chain.mine(3);
    node.chain.mine(1);
    await indexer?.reach(other.chain.head.block.hash);
    other.chain.mine(30);
    await expect.poll(servedHead, SOON).toEqual({ head: 38, generation: 0 });
  });

  it("follows it when the other one stands still on the block that it has replaced", async () => {
    node.chain.mine(5);
    other = await startScriptedNode({ chain: node.chain.fork() });
    await start().reach(node.chain.head.block.hash);
    node.chain.reorg(1, { salt: "another" });
    await contradicted(other);
    node.chain.mine(30);
    await expect.poll(servedHead, SOON).toEqual({ head: 35, generation: 1 });
  });
});
