import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createTestApp, type TestApp } from "../support/app.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { type Effect, lie, rpcError } from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

// A node refuses all methods: answers that need it are errors.

const ann = scriptedAddress("ann");
let node: ScriptedNode;
let api: TestApp;
let indexer: TestIndexer;
let failed: string;

beforeAll(async () => {
  // Prices of which the next base fee does not follow: the node is asked for it.
  node = await startScriptedNode();
  node.chain.mine({ transactions: [{ from: ann, valueWei: 1n }] });
  const { block } = node.chain.mine({ transactions: [{ from: ann, error: "execution reverted" }] });
  failed = block.transactions[0]?.hash ?? "";
  node.chain.mine({ baseFeeWei: 7n }, { baseFeeWei: 99n });
  api = await createTestApp({ nodeUrl: node.url });
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  indexer = startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.url] });
  await indexer.reach(node.chain.head.block.hash);
  await api.chain.probe();
});

afterAll(async () => {
  await indexer?.stop();
  await api?.close();
  await node?.stop();
});

const QUERIES = [
  "module=gastracker&action=gasoracle",
  "module=gastracker&action=gasestimate&gasprice=100",
  `module=account&action=pendingtxlist&address=${ann}`,
  `module=account&action=balancehistory&address=${ann}&blockno=1`,
  `module=account&action=balance&address=${ann}&tag=latest`,
  "module=transaction&action=gettxinfo&txhash=FAILED",
  "module=transaction&action=getrevertlines&txhash=FAILED",
  `module=block&action=getblock&block=0x${"12".repeat(32)}`,
  `module=proxy&action=eth_getTransactionByHash&txhash=0x${"12".repeat(32)}`,
  `module=proxy&action=eth_getTransactionReceipt&txhash=0x${"12".repeat(32)}`,
  "module=proxy&action=eth_getBlockByNumber&tag=0x1&boolean=true",
  `module=proxy&action=eth_getTransactionCount&address=${ann}&tag=latest`,
  "module=proxy&action=eth_gasPrice",
];

const REFUSALS: [string, Effect][] = [
  ["-32601", rpcError(-32_601, "the method does not exist/is not available")],
  ["-32602", rpcError(-32_602, "Invalid params")],
  ["-32000", rpcError(-32_000, "unsupported parameter")],
  ["HTTP 400", { kind: "http", status: 400, body: "Bad Request" }],
  ["null", lie(() => null)],
];

const answersOf = (queries: readonly string[]) =>
  Promise.all(
    queries.map(async (query) => {
      const answer = await api.app.inject(`/v2/api?${query.replace("FAILED", failed)}`);
      return { query, statusCode: answer.statusCode, body: answer.json() };
    }),
  );

test.each(REFUSALS)(
  "a node that refuses everything by %s: answers are the same, or errors",
  async (words, effect) => {
    const right = await answersOf(QUERIES);
    expect(right.map(({ statusCode }) => statusCode)).toEqual(QUERIES.map(() => 200));
    const healed = node.fail({ effect });
    const given = await answersOf(QUERIES);
    healed();
    for (const [index, { query, statusCode, body }] of given.entries()) {
      const isError = body.error !== undefined || body.message === "NOTOK";
      expect([200, ...(isError ? [503] : [])], query).toContain(statusCode);
      // A node's own null is forwarded.
      const isForwarded = words === "null" && query.includes("action=eth_") && body.result === null;
      if (!isError && !isForwarded) expect(body, query).toEqual(right[index]?.body);
    }
  },
);
