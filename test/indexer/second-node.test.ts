import { afterEach, beforeEach, expect, it } from "vitest";
import type { RawBlock } from "../../src/chain/types.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { blockWith, lie } from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

// What a second node cannot do, refuses or says wrongly must not keep the first one's blocks out.

let first: ScriptedNode;
let second: ScriptedNode | undefined;
let database: TestDatabase;
let indexer: TestIndexer | undefined;

beforeEach(async () => {
  first = await startScriptedNode();
  database = await createTestDatabase();
  first.chain.mine({ transactions: [{}] });
});

afterEach(async () => {
  await indexer?.stop();
  await database.drop();
  await first.stop();
  await second?.stop();
  indexer = second = undefined;
});

/** Each node is asked about a block with it, as it contradicts itself. */
const ODD = lie((block) => block && { ...(block as RawBlock), logsBloom: null });

async function expectHead(node: ScriptedNode): Promise<void> {
  second = node;
  indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [first.url, node.url],
    finalityDepth: 1_000,
    requestTimeoutMs: 2_000,
  });
  await indexer.reach(first.chain.head.block.hash);
}

it("has no tracer, and a block is odd", async () => {
  const node = await startScriptedNode({ chain: first.chain, without: ["debug_", "trace_"] });
  for (const each of [first, node]) each.fail({ method: "eth_getBlockByNumber", effect: ODD });
  await expectHead(node);
});

it("refuses the key, and a block is odd", async () => {
  const node = await startScriptedNode({ chain: first.chain });
  first.fail({ method: "eth_getBlockByNumber", effect: ODD });
  node.fail({ effect: { kind: "http", status: 401 } });
  await expectHead(node);
});

it("is of another chain, and a block is odd", async () => {
  const chain = new ScriptedChain({ chainId: 5 });
  chain.mine(20);
  first.fail({ method: "eth_getBlockByNumber", effect: ODD });
  await expectHead(await startScriptedNode({ chain }));
});

it("says a chain id above 2^53, and when it returns, too", async () => {
  const node = await startScriptedNode({ chain: first.chain });
  node.fail({ method: "eth_chainId", effect: lie(() => "0xffffffffffffffff") });
  await expectHead(node);
  first.chain.mine(1);
  await indexer?.reach(first.chain.head.block.hash);
});

it("is the only one whose headers can be read whole", async () => {
  const unreadable: Partial<RawBlock> & { totalDifficulty: string } = { totalDifficulty: "0x" };
  first.fail({ method: "eth_getBlockByNumber", effect: blockWith(unreadable) });
  await expectHead(await startScriptedNode({ chain: first.chain }));
  expect(indexer?.status().reason).toBeNull();
});
