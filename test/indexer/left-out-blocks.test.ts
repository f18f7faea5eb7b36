import { afterAll, expect, onTestFinished, test } from "vitest";
import { createTestApp } from "../support/app.ts";
import { ask } from "../support/ask.ts";
import { openIndexedNode } from "../support/indexed-node.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { nothing, rpcError } from "../support/scripted-node/faults.ts";
import type { BlockSpecification } from "../support/scripted-node/specification.ts";
import { startScriptedNode } from "../support/scripted-node.ts";

// Filecoin's chain leaves out numbers (null rounds), of which its nodes answer error 12. A stand-in for such a node.

const node = await startScriptedNode();
const database = await createTestDatabase();
const { sql } = database;
const { app, close } = await createTestApp({ sql, nodeUrl: node.url });
const options = { databaseUrl: database.url, rpcUrls: [node.url], finalityDepth: 5 };
let indexer = startTestIndexer(options);

afterAll(async () => {
  await indexer.stop();
  await close();
  await database.drop();
  await node.stop();
});

const paying = (leavesOut = 0): BlockSpecification => ({
  leavesOut,
  transactions: [{ valueWei: 1n }],
});

/** Compares the indexed blocks with the chain's. */
async function expectChain(): Promise<void> {
  const { chain } = node;
  await indexer.reach(chain.head.block.hash);
  const blocks = Array.from({ length: chain.height + 1 }, (_, number) => chain.at(number));
  const stored = await sql`SELECT hash FROM blocks ORDER BY number`;
  expect(stored.map(({ hash }) => hash)).toEqual(blocks.flatMap((one) => one?.block.hash ?? []));
  const leftOut = await sql`SELECT block_number::int AS number FROM left_out_blocks ORDER BY 1`;
  expect(leftOut.map(({ number }) => number)).toEqual(
    blocks.flatMap((one, number) => (one ? [] : number)),
  );
  // The indexer reports each second.
  await expect
    .poll(async () => (await app.inject("/health")).json(), { timeout: 30_000 })
    .toMatchObject({ gaps: 0, problems: [] });
}

test("are passed in a first load, at its end and by whole ranges", async () => {
  await indexer.stop();
  node.chain.mine(paying(), paying(3), 30, paying(1), paying(), paying(450), 40, paying(9), 4);
  indexer = startTestIndexer(options);
  await expectChain();
});

test("are passed at the head", async () => {
  for (const leavesOut of [1, 0, 2, 14, 20]) {
    node.chain.mine(paying(leavesOut));
    await expectChain();
  }
});

test("are passed after an absence", async () => {
  await indexer.stop();
  node.chain.mine(paying(2), 20, paying(7));
  indexer = startTestIndexer(options);
  await expectChain();
});

test("have blocks after a reorganisation, and blocks become such numbers", async () => {
  node.chain.mine(2, paying(3), 1);
  await expectChain();
  node.chain.reorg(5, 5);
  await expectChain();
  node.chain.reorg(4, paying(2), 2);
  await expectChain();
  node.chain.reorg(12, paying(5), paying(1), 8);
  await expectChain();
});

test("are not believed to a node where the next block has another parent", async () => {
  const { chain } = node;
  const number = chain.height + 2;
  node.fail({
    method: "eth_getBlockByNumber",
    when: ({ params }) => params[0] === `0x${number.toString(16)}`,
    effect: rpcError(12, `requested epoch was a null round (${number})`),
    times: 8,
  });
  chain.mine(paying(), paying(), paying(), paying(1));
  await expectChain();
});

test("are not seen in a header that a node lacks for a moment: a reorganisation is as deep as it is", async () => {
  const index = await openIndexedNode();
  const { chain } = index.node;
  await index.start();
  chain.mine(paying(), paying(), paying());
  await index.inStep();
  const ancestor = chain.height - 1;
  const isSearch = ({ params }: { params: readonly unknown[] }) =>
    Number(params[0]) >= ancestor && params[1] === false;
  index.node.fail({ method: "eth_getBlockByNumber", when: isSearch, effect: nothing(), times: 4 });
  chain.reorg(1, paying(), paying());
  await index.inStep();
  await expect.poll(() => index.indexer.status().reorgs.count, { timeout: 30_000 }).toBe(1);
  expect(index.indexer.status().reorgs.deepest).toBe(1);
});

test("are passed where the node answers null, once the next block continues the one before them", async () => {
  node.behaviour.nullRounds = true;
  onTestFinished(() => {
    node.behaviour.nullRounds = false;
  });
  for (const leavesOut of [1, 3, 0]) {
    node.chain.mine(paying(leavesOut));
    await expectChain();
  }
  node.chain.mine(paying(2), paying(), paying(1), 2);
  await expectChain();
  await indexer.stop();
  node.chain.mine(paying(2), 20, paying(3), paying(1), 7);
  indexer = startTestIndexer(options);
  await expectChain();
  node.chain.reorg(5, paying(1), paying(3), 2);
  await expectChain();
  node.chain.reorg(2, paying(4), 3);
  await expectChain();
});

test("are named by no answer", async () => {
  const leftOut = Array.from({ length: node.chain.height }, (_, number) => number).filter(
    (number) => !node.chain.at(number),
  );
  const number = leftOut.at(-1) as number;
  expect(await ask(app, `module=block&action=getblockreward&blockno=${number}`)).toMatchObject({
    status: "0",
  });
  const countdown = `module=block&action=getblockcountdown&blockno=${node.chain.height + 50}`;
  expect(await ask(app, countdown)).toMatchObject({ status: "1" });
  const rpc = await app.inject({
    method: "POST",
    url: "/api/eth-rpc",
    payload: {
      jsonrpc: "2.0",
      id: 1,
      method: "eth_getBlockByNumber",
      params: [`0x${number.toString(16)}`, false],
    },
  });
  expect(rpc.json()).toMatchObject({ error: { message: expect.stringMatching(/null round/) } });
});
