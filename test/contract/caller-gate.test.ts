import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { indexMethods } from "../../src/api/eth-rpc/methods.ts";
import { forwardedMethods } from "../../src/api/eth-rpc/rpc.ts";
import { paramsIn } from "../../src/api/explorer/action.ts";
import { actionsIn } from "../../src/api/explorer/registry.ts";
import { endpoints } from "../../src/api/sourcify/routes.ts";
import { Gate } from "../../src/chain/rpc/limits.ts";
import { saveProxy } from "../../src/store/contracts/proxies.ts";
import { createTestApp, TEST_CHAIN_ID, type TestApp } from "../support/app.ts";
import { setSyncState, wordAt } from "../support/build.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";
import { publishSmallWorld, vocabulary } from "../support/small-world.ts";
import { save } from "../support/verified-contract.ts";

// Every question for a request goes through the caller quota. The index here has none of the node's
// data, so all questions are sent.

const [account = "0x"] = vocabulary.accounts;
const [coin = "0x"] = vocabulary.contracts;
const [hash = "0x"] = vocabulary.hashes;
const UNKNOWN = wordAt(0xdead);

let node: ScriptedNode;
let server: TestApp;
/** Methods of questions outside the caller quota, and within it. */
const outside = new Set<string>();
const inside = new Set<string>();

beforeAll(async () => {
  node = await startScriptedNode();
  server = await createTestApp({
    nodeUrl: node.url,
    verifies: true,
    rpcBatchLimit: 1000,
    priceFeeds: { usd: coin },
  });
  await publishSmallWorld(server.sql, node.chain);
  await save(server.sql, { address: coin });
  await saveProxy(server.sql, {
    address: coin,
    kind: "eip1967",
    implementations: [account],
    conflicts: [],
    beacon: null,
    blockNumber: 1,
    blockHash: UNKNOWN,
  });
  await setSyncState(server.sql, { traced: false, startBlock: 1 });
  await server.sql`UPDATE addresses SET balance_block = NULL, has_code = NULL`;
  await server.sql`UPDATE tokens SET metadata_block = NULL, supply_block = NULL, irregular = true`;
  await server.sql`UPDATE token_balances SET block_number = NULL`;
  await server.sql`UPDATE token_id_balances SET block_number = NULL`;
  await server.sql`UPDATE transactions SET revert_data = NULL, gas_price = 0`;
  await server.sql`UPDATE blocks SET base_fee_per_gas = number`;
  // Once, the node is asked who it is, and what it can do.
  await server.chain.probe();
  let entered = 0;
  const { enter } = Gate.prototype;
  vi.spyOn(Gate.prototype, "enter").mockImplementation(async function (this: Gate, ...who) {
    const release = await enter.apply(this, who);
    if (who[1] === undefined) return release;
    entered++;
    return () => {
      entered--;
      release();
    };
  });
  node.fail({
    effect: { kind: "omit" },
    when: ({ method }) => {
      (entered > 0 ? inside : outside).add(method);
      return false;
    },
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await server.close();
  await node.stop();
});

/** Further values of a parameter beside the example's. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  tag: ["0x1", "earliest", "pending", "finalized"],
  block: ["1", "earliest"],
  blockno: ["1"],
  txhash: [UNKNOWN, ...vocabulary.hashes],
  contractaddress: vocabulary.contracts,
};

async function expectBehindTheGate(request: InjectOptions | string) {
  outside.clear();
  await server.app.inject(request);
  expect([request, [...outside]]).toEqual([request, []]);
}

test.each([
  ["/api", "blockscout"],
  ["/v2/api", "etherscan"],
] as const)("every action below %s", async (path, dialect) => {
  // Submissions are compiled, and their contracts read, in a queue.
  const asked = actionsIn(dialect).filter(({ action }) => !action.isSubmission);
  expect(asked.length).toBeGreaterThan(30);
  for (const { module, action } of asked) {
    const examples = Object.keys(paramsIn(action, dialect).shape).flatMap((name) =>
      (OTHERS[name] ?? []).map((value) => ({ ...action.example, [name]: value })),
    );
    for (const example of [action.example, ...examples]) {
      const query = new URLSearchParams({ module, action: action.name, ...example });
      await expectBehindTheGate(`${path}?${query}`);
    }
  }
});

test("every method of JSON-RPC", async () => {
  const words = [account, coin, hash, UNKNOWN, "0x1", "finalized", "0x", true, { to: coin }];
  const lists = [
    [],
    ...words.map((word) => [word]),
    ...words.flatMap((one) => words.map((other) => [one, other])),
  ];
  const thirds = [[account, "0x0", "latest"]];
  for (const method of [...Object.keys(indexMethods), ...Object.keys(forwardedMethods)]) {
    for (const params of [...lists, ...thirds]) {
      const payload = { jsonrpc: "2.0", id: 1, method, params };
      await expectBehindTheGate({ method: "POST", url: "/api/eth-rpc", payload });
    }
  }
});

test("every lookup of Sourcify's dialect", async () => {
  const lookups = Object.values(endpoints).filter(({ body }) => !body);
  for (const { path, query = {} } of lookups) {
    for (const address of [coin, account]) {
      const url = path.replace("{chainId}", String(TEST_CHAIN_ID)).replace("{address}", address);
      await expectBehindTheGate(`/sourcify${url}`);
      if ("fields" in query) await expectBehindTheGate(`/sourcify${url}?fields=all`);
    }
  }
});

test("and the node was asked for what only it can tell", () => {
  const told = ["eth_call", "eth_getBalance", "eth_getCode", "eth_getStorageAt", "eth_feeHistory"];
  const passedOn = ["eth_sendRawTransaction", "eth_getTransactionReceipt", "eth_getBlockByHash"];
  expect([...inside]).toEqual(expect.arrayContaining([...told, ...passedOn, "txpool_content"]));
});
