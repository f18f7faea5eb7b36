import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, publish } from "../../support/build.ts";
import { nodeBlocks } from "../../support/node-blocks.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const KNOWN = addressAt(1);
const PENDING = addressAt(2);
const UNSEEN = addressAt(3);

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  node.chain.mine(
    { state: { balances: { [KNOWN]: 100n, [PENDING]: 7n } } },
    { state: { balances: { [KNOWN]: 200n, [PENDING]: 8n } } },
    { state: { balances: { [KNOWN]: 300n, [PENDING]: 9n } } },
  );
  server = await createTestApp({ nodeUrl: node.url });
  await publish(server.sql, {
    blocks: nodeBlocks(node.chain).slice(0, 3),
    addresses: [
      { address: KNOWN, balance: "200", balanceBlock: 2 },
      { address: PENDING, balance: "1", balanceBlock: null },
    ],
  });
});
afterAll(async () => {
  await server.close();
  await node.stop();
});
beforeEach(() => {
  node.heal();
  node.behaviour.statesKept = Number.POSITIVE_INFINITY;
});

async function ask(...params: unknown[]) {
  const response = await server.app.inject({
    method: "POST",
    url: "/api/eth-rpc",
    payload: { jsonrpc: "2.0", method: "eth_getBalance", params, id: 1 },
  });
  expect(response.statusCode).toBe(200);
  const { jsonrpc, id, ...outcome } = response.json();
  return outcome;
}

describe("at the served head", () => {
  test.each([[], [null], ["latest"], ["pending"], ["0x2"], ["2"], ["+2"], [2], ["0xff"]])(
    "block %j: the balance that the index has",
    async (...block) => {
      const asked = node.count("eth_getBalance");
      expect(await ask(KNOWN, ...block)).toEqual({ result: "0xc8" });
      expect(node.count("eth_getBalance")).toBe(asked);
    },
  );

  test("a balance that must be read again is the node's at that block", async () => {
    expect(await ask(PENDING)).toEqual({ result: "0x8" });
  });

  test("an address that was never seen has what the node says, also nothing", async () => {
    expect(await ask(UNSEEN)).toEqual({ result: "0x0" });
  });

  test("an address is taken in any letter case", async () => {
    expect(await ask(`0x${KNOWN.slice(2).toUpperCase()}`)).toEqual({ result: "0xc8" });
  });
});

describe("at an older block", () => {
  test.each([["0x1"], ["1"], [1]])("%j: the node's balance", async (block) => {
    expect(await ask(KNOWN, block)).toEqual({ result: "0x64" });
  });

  test("earliest is block 0", async () => {
    expect(await ask(KNOWN, "earliest")).toEqual({ result: "0x0" });
  });

  test("is not found when no node has that state any more", async () => {
    node.behaviour.statesKept = 1;
    expect(await ask(KNOWN, "0x1")).toEqual({ error: "Balance not found" });
  });
});

describe("at a block by its hash", () => {
  const hashOf = (block: number) => nodeBlocks(node.chain)[block]?.hash ?? "0x";

  test.each([
    ["as it stands", (hash: string) => hash],
    ["in an object", (blockHash: string) => ({ blockHash, requireCanonical: true })],
  ])("%s: the node's balance", async (_form, inForm) => {
    expect(await ask(KNOWN, inForm(hashOf(1)))).toEqual({ result: "0x64" });
    expect(await ask(KNOWN, inForm(`0x${"1".repeat(64)}`))).toEqual({ error: "Balance not found" });
  });

  test("an object may hold a number", async () => {
    expect(await ask(KNOWN, { blockNumber: "0x1" })).toEqual({ result: "0x64" });
  });
});

test("safe and finalized are the node's to tell", async () => {
  expect(await ask(KNOWN, "finalized")).toEqual({ result: "0x12c" });
  node.fail({ effect: { kind: "error", code: -32000, message: "no finalized block" } });
  expect(await ask(KNOWN, "safe")).toEqual({ error: "Balance not found" });
});

test.each([
  [["0x12"], "Query parameter 'address' is invalid"],
  [[5, "x"], "Query parameter 'address' is invalid"],
  [[KNOWN, "newest"], "Query parameter 'block' is invalid"],
  [[KNOWN, "-1"], "Query parameter 'block' is invalid"],
  [[KNOWN, "0x"], "Query parameter 'block' is invalid"],
  [[KNOWN, {}], "Query parameter 'block' is invalid"],
  [[KNOWN, { blockHash: "0x1" }], "Query parameter 'block' is invalid"],
  [[KNOWN, { blockNumber: "latest" }], "Query parameter 'block' is invalid"],
])("%j is refused: %s", async (params, error) => {
  expect(await ask(...params)).toEqual({ error });
});
