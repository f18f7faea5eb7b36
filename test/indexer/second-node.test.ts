import { afterEach, beforeEach, expect, it } from "vitest";
import type { RawBlock, RawReceipt } from "../../src/chain/types.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import {
  blockWith,
  type Effect,
  type IncomingCall,
  lie,
  nothing,
} from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

// A node's missing features, refusals, lags or wrong answers must not delay the other one's blocks.

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

async function expectHead(
  node: ScriptedNode,
  others: readonly ScriptedNode[] = [],
  requestTimeoutMs = 2_000,
): Promise<void> {
  second = node;
  indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [first, node, ...others].map(({ url }) => url),
    finalityDepth: 1_000,
    requestTimeoutMs,
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

it("is the only one that has the block which the first announced", async () => {
  const { number } = first.chain.mine({ transactions: [{}] }).block;
  const when = ({ params }: IncomingCall) => params[0] === number;
  first.fail({ method: "eth_getBlockByNumber", when, effect: nothing() });
  await expectHead(await startScriptedNode({ chain: first.chain }));
});

it("has the blocks below a head that nobody has", async () => {
  await expectHead(await startScriptedNode({ chain: first.chain }));
  const when = ({ params }: IncomingCall) => params[0] === "latest";
  // The missing final blocks, with a finality depth of 1,000, are one range.
  const effect = blockWith({ number: "0x3fb" });
  first.fail({ method: "eth_getBlockByNumber", when, effect });
  for (let count = 0; count < 2; count++) {
    const { hash } = first.chain.mine({ transactions: [{}] }).block;
    await indexer?.until(async () => {
      const [state] = await database.sql`SELECT head_hash FROM sync_state`;
      return state?.["headHash"] === hash;
    });
  }
});

it("is ahead of the first, which stands still", async () => {
  await expectHead(await startScriptedNode({ chain: first.chain }));
  first.chain.mine(3);
  first.behaviour.behind = 3;
  await indexer?.reach(first.chain.head.block.hash);
  first.chain.mine(30);
  first.behaviour.behind = 33;
  await indexer?.reach(first.chain.head.block.hash);
  first.behaviour.behind = 0;
  second?.fail({ effect: { kind: "http", status: 503 } });
  first.chain.mine(1);
  await indexer?.reach(first.chain.head.block.hash);
});

it.each<[string, Effect, (node: ScriptedNode) => ScriptedNode[]]>([
  ["a third leaves its calls open", { kind: "stall" }, (third) => [third]],
  ["all answers take long", { kind: "late", ms: 200 }, (third) => [first, second ?? third, third]],
])("is ahead of the first, which stands still, while %s", async (_, effect, failing) => {
  const third = await startScriptedNode({ chain: first.chain });
  try {
    await expectHead(await startScriptedNode({ chain: first.chain }), [third], 30_000);
    for (const node of failing(third)) node.fail({ effect });
    first.chain.mine(3);
    first.behaviour.behind = 3;
    await indexer?.reach(first.chain.head.block.hash);
  } finally {
    third.heal();
    await third.stop();
  }
});

it("is on another fork, and blocks are odd whose kind never becomes a habit", async () => {
  const other = first.chain.fork();
  other.mine({ transactions: [{ valueWei: 1n }] });
  const logs = [{ address: scriptedAddress("token") }, { address: scriptedAddress("token") }];
  first.chain.mine({ transactions: [{ logs }] }, { transactions: [{ logs }] });
  first.fail({
    method: "eth_getBlockReceipts",
    effect: lie((receipts) =>
      (receipts as RawReceipt[]).map((one) => ({ ...one, logs: one.logs.slice(1) })),
    ),
  });
  await expectHead(await startScriptedNode({ chain: other }));
});
