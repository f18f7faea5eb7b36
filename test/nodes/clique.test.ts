import { setTimeout as sleep } from "node:timers/promises";
import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../support/app.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc, type JsonRpc } from "../support/oracle/json-rpc.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { CLIQUE_CHAIN_ID, type Geth, startClique } from "./geth.ts";

const PAYMENTS = 4;

const signerKey = generatePrivateKey();
const signer = privateKeyToAccount(signerKey);
const sender = privateKeyToAccount(generatePrivateKey());
let geth: Geth;
let rpc: JsonRpc;
let database: TestDatabase;
let indexer: TestIndexer;
let api: TestApp;

beforeAll(async () => {
  geth = await startClique(signerKey, sender.address);
  rpc = createJsonRpc(geth.url);
  database = await createTestDatabase();
  indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [geth.url] });
  api = await createTestApp({ sql: database.sql, nodeUrl: geth.url });
});

afterAll(async () => {
  await api?.close();
  await indexer?.stop();
  await database?.drop();
  await geth?.stop();
});

/** Sends a payment; gives the hash of its block. */
async function pay(nonce: number, to: Address): Promise<Hex> {
  const raw = await sender.signTransaction({
    ...{ chainId: CLIQUE_CHAIN_ID, nonce, type: "eip1559", to, value: 1n, gas: 21_000n },
    ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
  });
  const hash = await rpc.request<Hex>("eth_sendRawTransaction", raw);
  for (;;) {
    // A young geth refuses while it indexes transactions.
    const receipt = await rpc
      .request<{ blockHash: Hex } | null>("eth_getTransactionReceipt", hash)
      .catch(() => null);
    if (receipt) return receipt.blockHash;
    await sleep(50);
  }
}

it("the signer of a chain with Clique, whom no header names, has what the node says", async () => {
  // From then on the index knows the signer, whom no later block names.
  await pay(0, signer.address);
  for (let nonce = 1; nonce <= PAYMENTS; nonce++) {
    await indexer.reach(await pay(nonce, sender.address));
  }
  const query = `module=account&action=balance&address=${signer.address}`;
  const { headers, body } = await api.app.inject(`/api?${query}`);
  const [number] = String(headers["x-periscope-block"]).split(";");
  const expected = await rpc.request<Hex>(
    "eth_getBalance",
    signer.address,
    `0x${Number(number).toString(16)}`,
  );
  expect(JSON.parse(body).result).toBe(BigInt(expected).toString());
});
