import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import {
  addressAt,
  blockTime,
  publish,
  setSyncState,
  transactionHash,
  wordAt,
} from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";
import { rpcError } from "../../../../support/scripted-node/faults.ts";
import { startScriptedNode } from "../../../../support/scripted-node.ts";

const HEAD = 14;
const MANY_LOGS = 5;

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number })),
    transactions: [
      { blockNumber: 2, value: 1_500_000_000_000_000n, input: "0xa9059cbb" },
      { blockNumber: 3, toAddress: null, createdContract: addressAt(9), input: "0x6080" },
      { blockNumber: MANY_LOGS },
      { blockNumber: MANY_LOGS, transactionIndex: 1 },
      { blockNumber: MANY_LOGS, transactionIndex: 2 },
      { blockNumber: 6, status: 0, error: "execution reverted", revertData: "0x08c379a0" },
      { blockNumber: 7, status: 0, error: "out of gas", gasUsed: 100_000n },
      { blockNumber: 8, status: null },
      { blockNumber: 9, status: 0, gasUsed: 99_999n },
      { blockNumber: 10, status: 0, gasUsed: 100_000n },
      { blockNumber: HEAD + 1 },
    ],
    logs: [
      {
        blockNumber: 2,
        logIndex: 0,
        address: addressAt(3),
        topic0: wordAt(1),
        topic1: wordAt(2),
        data: "0x2a",
      },
      ...Array.from({ length: 130 }, (_, logIndex) => ({
        blockNumber: MANY_LOGS,
        logIndex,
        transactionIndex: logIndex < 3 ? 0 : logIndex < 123 ? 1 : 2,
        address: addressAt(3),
      })),
    ],
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
});
afterAll(() => server.close());

const hash = (block: number, index = 0) => `txhash=${transactionHash(block, index)}`;
const REFUSED = { nothing: "", short: "txhash=0x12", capitalPrefix: hash(2).replace("0x", "0X") };

recordedCases(() => server.app, "transaction", {
  gettxinfo: {
    call: hash(2),
    creation: hash(3),
    reverted: hash(6),
    "last page": `${hash(MANY_LOGS, 1)}&index=119`,
    "behind the last log": `${hash(2)}&index=0`,
    "bad index": `${hash(2)}&index=first`,
    unknown: hash(77),
    "above the head": hash(HEAD + 1),
    ...REFUSED,
  },
  gettxreceiptstatus: {
    succeeded: hash(2),
    failed: hash(6),
    "without status": hash(8),
    unknown: hash(77),
    ...REFUSED,
  },
  getstatus: {
    succeeded: hash(2),
    reverted: hash(6),
    "out of gas": hash(7),
    "untraced, gas left": hash(9),
    "untraced, no gas left": hash(10),
    "without status": hash(8),
    unknown: hash(77),
    ...REFUSED,
  },
});

test("gettxinfo gives the logs fifty a page, and the parameters of the next page", async () => {
  const first = `module=transaction&action=gettxinfo&${hash(MANY_LOGS, 1)}&sort=asc&page=x`;
  const indexes: number[] = [];
  let query = first;
  let pages = 0;
  for (;;) {
    const { result } = await ask(server.app, query);
    indexes.push(...result.logs.map(({ index }: { index: string }) => Number(index)));
    pages++;
    if (result.next_page_params === null) break;
    expect(result.next_page_params).toMatchObject({
      items_count: 50,
      block_number: MANY_LOGS,
      page: "x",
    });
    expect(result.next_page_params).not.toHaveProperty("sort");
    query = new URLSearchParams(result.next_page_params).toString();
  }
  expect(pages).toBe(3);
  expect(indexes).toEqual(Array.from({ length: 120 }, (_, index) => index + 3));
});

test("gettxinfo answers without a reason for a failure when it has no trace and no node", async () => {
  await setSyncState(server.sql, { traced: false });
  const { result } = await ask(server.app, `module=transaction&action=gettxinfo&${hash(9)}`);
  expect(result).toMatchObject({ success: false, revertReason: "" });
  await setSyncState(server.sql, { traced: true });
});

test("a node without a tracer or a tag is distinguished from one that does not answer", async () => {
  const node = await startScriptedNode();
  const { app, close } = await createTestApp({ sql: server.sql, nodeUrl: node.url });
  const lines = async () =>
    (await ask(app, `module=transaction&action=getrevertlines&${hash(6)}`)).message;
  const balance = `module=account&action=balance&address=${addressAt(3)}&tag=safe`;
  const atTag = async () => (await ask(app, balance, "/v2/api")).result;
  node.behaviour.without = ["debug_"];
  const refuses = { method: "eth_getBlockByNumber", effect: rpcError(-32_000, "unknown tag") };
  node.fail({ ...refuses, times: 1 });
  expect(await lines()).toBe("The node does not trace this transaction");
  expect(await atTag()).toMatch(/^Historical state is not available/);
  node.fail({ effect: { kind: "drop" } });
  expect(await lines()).toBe("The node does not answer, please try again later");
  expect(await atTag()).toBe("The node does not answer, please try again later");
  await close();
  await node.stop();
});
