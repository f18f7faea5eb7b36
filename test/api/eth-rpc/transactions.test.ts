import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { type Anvil, startAnvil } from "../../support/anvil.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, GWEI, publish, transactionHash, wordAt } from "../../support/build.ts";
import { startTestIndexer } from "../../support/indexer.ts";
import { createJsonRpc } from "../../support/oracle/json-rpc.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { openNode } from "../../support/test-chain.ts";

/** Init code that emits a log with topic 7 and one without topics, and leaves one byte of code. */
const EMITTING: Hex = "0x602a600052600760206000a16001601fa06001601ff3";

let anvil: Anvil;
let server: TestApp;
let database: TestDatabase;
let hashes: Hex[];
beforeAll(async () => {
  anvil = await startAnvil(["--no-mining", "--hardfork", "prague"]);
  const rpc = createJsonRpc(anvil.url);
  const [from, to] = await rpc.request<Hex[]>("eth_accounts");
  const transactions = [
    { from, to, value: "0x5", gasPrice: "0x77359400" },
    {
      from,
      to,
      gasPrice: "0x77359400",
      accessList: [{ address: to, storageKeys: [wordAt(1)] }],
    },
    { from, to, input: "0x1234", maxFeePerGas: "0x77359400", maxPriorityFeePerGas: "0x1" },
    { from, data: EMITTING, gas: "0x493e0" },
    { from, data: "0x60006000fd", gas: "0x493e0" },
  ];
  hashes = [];
  for (const transaction of transactions) {
    hashes.push(await rpc.request<Hex>("eth_sendTransaction", transaction));
  }
  await rpc.request("evm_mine");
  const head = await rpc.request<{ hash: Hex }>("eth_getBlockByNumber", "latest", false);
  database = await createTestDatabase();
  server = await createTestApp({ sql: database.sql, nodeUrl: anvil.url });
  const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  await indexer.reach(head.hash);
  await indexer.stop();
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await anvil.stop();
});

async function ask(method: string, hash: unknown) {
  const response = await server.app.inject({
    method: "POST",
    url: "/api/eth-rpc",
    payload: { jsonrpc: "2.0", method, params: [hash], id: 1 },
  });
  return response.json();
}

test.each([
  [
    "eth_getTransactionByHash",
    "blockHash blockNumber from gas gasPrice hash input nonce to transactionIndex value type chainId v r s".split(
      " ",
    ),
  ],
  [
    "eth_getTransactionReceipt",
    "blockHash blockNumber contractAddress cumulativeGasUsed effectiveGasPrice from gasUsed logs logsBloom status to transactionHash transactionIndex type".split(
      " ",
    ),
  ],
])("%s tells of every kind of transaction what the node tells", async (method, always) => {
  const rpc = createJsonRpc(anvil.url);
  for (const hash of hashes) {
    const theirs = await rpc.request<Record<string, unknown>>(method, hash);
    const { result: ours } = await ask(method, hash);
    expect(Object.keys(ours)).toEqual(expect.arrayContaining(always));
    expect(ours.logs?.length ?? 0).toBe(hash === hashes[3] && ours.logs ? 2 : 0);
    for (const [field, value] of Object.entries(ours)) {
      // The node names the address that a failed creation would have had.
      if (field === "contractAddress" && theirs["status"] === "0x0") continue;
      expect([hash, field, comparable(value)]).toEqual([hash, field, comparable(theirs[field])]);
    }
  }
});

/** Without what the node adds to a log, and with null for a field that it leaves out. */
function comparable(value: unknown): unknown {
  if (!Array.isArray(value)) return value ?? null;
  return value.map((item) => {
    if (typeof item !== "object") return item;
    const { blockTimestamp, ...rest } = item;
    return rest;
  });
}

test.each(["eth_getTransactionByHash", "eth_getTransactionReceipt"])(
  "%s is null for an unknown hash, and refuses what is none",
  async (method) => {
    expect(await ask(method, wordAt(1))).toEqual({ jsonrpc: "2.0", result: null, id: 1 });
    expect(await ask(method, "0x12")).toEqual({
      jsonrpc: "2.0",
      error: "Transaction hash is invalid",
      id: 1,
    });
  },
);

test("authorisations and blobs are told as the node told them; a block above the head is not", async () => {
  const other = await createTestApp({ nodeUrl: anvil.url });
  const authorizationList = [
    { chainId: "0x1", nonce: "0x0", address: addressAt(9), r: "0x1", s: "0x2", yParity: "0x1" },
  ];
  const blob = { maxFeePerBlobGas: "0x7", blobVersionedHashes: [wordAt(7)] };
  await publish(other.sql, {
    blocks: [{ number: 1 }, { number: 2 }],
    transactions: [
      { blockNumber: 1, type: 4, extra: JSON.stringify({ authorizationList }) },
      {
        blockNumber: 1,
        transactionIndex: 1,
        type: 3,
        extra: JSON.stringify({ ...blob, blobGasUsed: "0x20000", blobGasPrice: "0x1" }),
      },
      { blockNumber: 2 },
    ],
    syncState: { headNumber: 1 },
  });
  const get = async (method: string, hash: Hex) => {
    const response = await other.app.inject({
      method: "POST",
      url: "/api/eth-rpc",
      payload: { jsonrpc: "2.0", method, params: [hash], id: 1 },
    });
    return response.json().result;
  };
  const setCode = await get("eth_getTransactionByHash", transactionHash(1));
  expect(setCode).toMatchObject({ type: "0x4", authorizationList, accessList: [] });
  expect(setCode).toMatchObject({ maxFeePerGas: `0x${(3n * GWEI).toString(16)}`, yParity: "0x0" });
  expect(await get("eth_getTransactionByHash", transactionHash(1, 1))).toMatchObject(blob);
  expect(await get("eth_getTransactionReceipt", transactionHash(1, 1))).toMatchObject({
    blobGasUsed: "0x20000",
    blobGasPrice: "0x1",
  });
  expect(await get("eth_getTransactionByHash", transactionHash(2))).toBeNull();
  expect(await get("eth_getTransactionReceipt", transactionHash(2))).toBeNull();
  await other.close();
});

test("a transaction that waits has no block, nor has one whose block is not served yet", async () => {
  const rpc = createJsonRpc(anvil.url);
  const [from, to] = await rpc.request<Hex[]>("eth_accounts");
  const hash = await rpc.request<Hex>("eth_sendTransaction", { from, to, value: "0x7" });
  const waiting = {
    hash,
    from,
    value: "0x7",
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
  };
  expect((await ask("eth_getTransactionByHash", hash)).result).toMatchObject(waiting);
  await rpc.request("evm_mine");
  expect((await ask("eth_getTransactionByHash", hash)).result).toMatchObject(waiting);
  expect((await ask("eth_getTransactionReceipt", hash)).result).toBeNull();
});

test("whether a transaction waits is not known without the node", async () => {
  const other = await createTestApp();
  await publish(other.sql, { blocks: [{ number: 1 }] });
  const payload = {
    jsonrpc: "2.0",
    method: "eth_getTransactionByHash",
    params: [wordAt(1)],
    id: 1,
  };
  const response = await other.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
  expect(response.json()).toMatchObject({ error: { code: -32_603 } });
  await other.close();
});

test("a batch of any length asks for all that may wait", async () => {
  const node = await openNode();
  node.fail({ effect: { kind: "late", ms: 200 } });
  const other = await createTestApp({ nodeUrl: node.url, rpcBatchLimit: 100 });
  await publish(other.sql, { blocks: [{ number: 1 }] });
  const payload = Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: "2.0",
    method: "eth_getTransactionByHash",
    params: [wordAt(id)],
    id,
  }));
  const response = await other.app.inject({ method: "POST", url: "/api/eth-rpc", payload });
  expect(response.json()).toEqual(payload.map(({ id }) => ({ jsonrpc: "2.0", result: null, id })));
  await other.close();
});
