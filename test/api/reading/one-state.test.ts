import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { actionsIn } from "../../../src/api/explorer/registry.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, blockHash, publish, setSyncState } from "../../support/build.ts";

const TOKEN = addressAt(7);
const HELD = "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35";
/** Answered without the index. */
const ELSEWHERE = new Set([
  "pendingtxlist",
  "ethsupplyexchange",
  // Without an aggregator.
  "ethprice",
  "coinprice",
  "verifyproxycontract",
  "checkverifystatus",
  "checkproxyverification",
  "getapilimit",
  // The operator's file.
  "getaddresstag",
  // The node's own answers.
  "eth_getTransactionCount",
  "eth_getCode",
  "eth_getStorageAt",
  "eth_call",
  "eth_estimateGas",
  "eth_gasPrice",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
]);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await addBlock(0);
  const examples = [
    "976ea74026e726554db657fa54763abd0c3a0aa9",
    "9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
  ];
  await publish(server.sql, {
    addresses: examples.map((digits) => ({
      address: `0x${digits}`,
      balance: "1",
      balanceBlock: 0,
    })),
    tokens: [{ address: HELD }],
    tokenBalances: [
      { token: HELD, owner: "0x976ea74026e726554db657fa54763abd0c3a0aa9", amount: "1" },
    ],
  });
});
afterAll(() => server.close());

/** A block with one log, published as the indexer does: in one transaction. */
async function addBlock(number: number): Promise<void> {
  await server.sql.begin((transaction) =>
    publish(transaction as unknown as TestApp["sql"], {
      blocks: [{ number }],
      transactions: [{ blockNumber: number }],
      logs: [{ blockNumber: number, address: TOKEN }],
    }),
  );
}

describe.each([
  ["/api", "blockscout"],
  ["/v2/api", "etherscan"],
] as const)("under %s", (path, dialect) => {
  for (const { module, action } of actionsIn(dialect)) {
    if (action.isSubmission) continue;
    const isElsewhere = ELSEWHERE.has(action.name);
    test(`${action.name} ${isElsewhere ? "names no block" : "names the block that it is true for"}`, async () => {
      const query = new URLSearchParams({ module, action: action.name, ...action.example });
      const { headers } = await server.app.inject(`${path}?${query}`);
      expect(headers["x-periscope-block"]).toBe(isElsewhere ? undefined : `0;${blockHash(0)}`);
    });
  }
});

/** Answers before the first block of actions that refuse in their own words, or need not refuse. */
const BEFORE_THE_FIRST_BLOCK: Readonly<Record<string, string>> = {
  eth_block_number: '"0x0"',
  eth_blockNumber: '"0x0"',
  gasoracle: "Gas price is not estimated yet",
  gasestimate: "Gas price is not estimated yet",
};

describe.each([
  ["of an index that has not begun", null],
  ["of a chain that is indexed anew", { headNumber: null }],
] as const)("nothing is told %s", (_, state) => {
  let empty: TestApp;
  beforeAll(async () => {
    empty = await createTestApp();
    if (state) await setSyncState(empty.sql, state);
  });
  afterAll(() => empty.close());

  const actions = [
    ...actionsIn("blockscout").map((listed) => ({ path: "/api", ...listed })),
    ...actionsIn("etherscan").map((listed) => ({ path: "/v2/api", ...listed })),
  ].filter(({ action }) => !(action.isSubmission || ELSEWHERE.has(action.name)));
  test.each(actions)("by $path $action.name", async ({ path, module, action }) => {
    const query = new URLSearchParams({ module, action: action.name, ...action.example });
    const { body } = await empty.app.inject(`${path}?${query}`);
    const told = BEFORE_THE_FIRST_BLOCK[action.name] ?? "Chain is indexing now, try again later";
    expect(body).toContain(told);
  });
});

test("answers that nothing was read for name no block", async () => {
  const { headers } = await server.app.inject("/api?module=account&action=balance");
  expect(headers).not.toHaveProperty("x-periscope-block");
});

function rpc(...calls: [method: string, ...params: unknown[]][]) {
  const payload = calls.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params }));
  return server.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
}

test("a batch over JSON-RPC is of one state while the head moves, and names it", async () => {
  const states = 5;
  const seen = new Set<string>();
  let isOver = false;
  const moving = (async () => {
    for (let number = 1; !isOver; number++) await addBlock(number);
  })();
  const logs = { address: TOKEN, fromBlock: "earliest", toBlock: "latest" };
  try {
    while (seen.size < states) {
      const response = await rpc(["eth_blockNumber"], ["eth_getLogs", logs], ["eth_blockNumber"]);
      const [before, found, after] = response
        .json()
        .map(({ result }: { result: unknown }) => result);
      expect(before).toBe(after);
      const number = Number(before);
      expect(found).toHaveLength(number + 1);
      expect(response.headers["x-periscope-block"]).toBe(`${number};${blockHash(number)}`);
      seen.add(before);
    }
  } finally {
    isOver = true;
    await moving;
  }
});

test("of a batch only the entries from the index count", async () => {
  const alone = await rpc(["eth_chainId"], ["eth_getBlockByNumber", "latest", false]);
  expect(alone.headers).not.toHaveProperty("x-periscope-block");
  const mixed = await rpc(["eth_chainId"], ["eth_blockNumber"]);
  expect(mixed.headers["x-periscope-block"]).toMatch(/^\d+;0x[0-9a-f]{64}$/);
});

test("one entry of a batch that fails in the database fails no other one", async () => {
  const blocks = [{ fromBlock: "0x0", toBlock: "0x7fffffffffffffff", address: TOKEN }];
  const response = await rpc(["eth_blockNumber"], ["eth_getLogs", ...blocks]);
  expect(response.json()[0]).toHaveProperty("result");
});
