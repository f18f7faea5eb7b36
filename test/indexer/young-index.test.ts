import { expect, onTestFinished, test, vi } from "vitest";
import { type IndexedNode, openIndexedNode } from "../support/indexed-node.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { lie } from "../support/scripted-node/faults.ts";

/** No development chain's. */
const CHAIN_ID = 7;
const START = { startBlock: 4 };

async function open(): Promise<IndexedNode> {
  const index = await openIndexedNode({ chain: new ScriptedChain({ chainId: CHAIN_ID }) });
  index.node.chain.mine(7);
  return index;
}

const chainOf = async ({ sql }: IndexedNode) =>
  await sql`SELECT chain_id, start_block, genesis_hash FROM sync_state`;

test("an index of blocks that are not final follows a reorg below its first one", async () => {
  const index = await open();
  await index.start(START);
  await index.inStep();
  index.node.chain.reorg(5, 6);
  await index.inStep();
  const genesisHash = index.node.chain.at(4)?.block.hash;
  expect(await chainOf(index)).toMatchObject([{ startBlock: 4, genesisHash }]);
});

test("an index of final blocks halts at another chain, and goes on with its own", async () => {
  const index = await open();
  await index.start({ ...START, finalityDepth: 2 });
  await index.inStep();
  index.node.chain.reorg(5, 6);
  await index.indexer.until(() => index.indexer.status().phase === "halted");
  expect(await chainOf(index)).not.toMatchObject([
    { genesisHash: index.node.chain.at(4)?.block.hash },
  ]);
});

test.each(["0x5", "0x7a69"])("one wrong word, %s, does not decide the chain", async (chainId) => {
  const index = await open();
  index.node.fail({ method: "eth_chainId", effect: lie(() => chainId), times: 1 });
  await index.start();
  await index.inStep();
  expect(await chainOf(index)).toMatchObject([{ chainId: CHAIN_ID }]);
});

test("tracers that were refused before a reset are waited for anew after it", async () => {
  const index = await openIndexedNode({ statesKept: 5 });
  const { node } = index;
  const refuse = async () => {
    node.behaviour.without = ["debug_", "trace_"];
    node.chain.mine({ transactions: [{}] });
    const { hash } = node.chain.head.block;
    await index.indexer.until(async () => {
      const [head] = await index.sql`SELECT head_hash FROM sync_state`;
      return index.indexer.status().phase === "waiting" || head?.["headHash"] === hash;
    });
  };
  const allow = async () => {
    node.behaviour.without = [];
    await index.inStep();
  };
  node.chain.mine(9);
  await index.start();
  await index.inStep();
  await refuse();
  node.chain.reset({ salt: "another" });
  node.chain.mine(9);
  await allow();
  const now = performance.now.bind(performance);
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(performance, "now").mockImplementation(() => now() + 60_000);
  await refuse();
  await allow();
  expect(await index.sql`SELECT traced FROM sync_state`).toEqual([{ traced: true }]);
});
