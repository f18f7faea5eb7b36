import type { Hex } from "viem";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp } from "../support/app.ts";
import { ask } from "../support/ask.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createJsonRpc, type JsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld, SCENARIO_NAMES, type World } from "../support/world/world.ts";
import { type Front, startFront } from "./front.ts";
import { type Geth, startAmsterdam } from "./geth.ts";

/** Logs each transfer of the coin since Amsterdam (EIP-7708). */
const SYSTEM = "0xfffffffffffffffffffffffffffffffffffffffe";
/** Costs since Amsterdam above the world's gas: calldata (EIP-7976) and new state (EIP-8037). */
const TOO_DEAR = ["logs", "hybrids"];
/** Until the fork. A block is at least a second younger than its parent, so few blocks reach it. */
const BEFORE_S = 90;
/** Larger than a contract could be before (EIP-7954). */
const LARGE = 30_000;
const LARGE_CREATION: Hex = "0x61753060008180396175306000f3";

interface Block {
  number: Hex;
  hash: Hex;
  timestamp: Hex;
  gasUsed: Hex;
  blockAccessListHash?: Hex;
}

let geth: Geth;
let front: Front;
let world: World;
let rpc: JsonRpc;

beforeAll(async () => {
  const forkTime = Math.floor(Date.now() / 1_000) + BEFORE_S;
  geth = await startAmsterdam(forkTime);
  front = await startFront(geth.url);
  rpc = createJsonRpc(geth.url);
  world = await deployWorld(front.url);
  expect((await latest()).blockAccessListHash).toBeUndefined();
  while (!(await latest()).blockAccessListHash) await world.play("envelopes");
  await actAfter();
});

afterAll(async () => {
  await front?.stop();
  await geth?.stop();
});

function latest(): Promise<Block> {
  return rpc.request<Block>("eth_getBlockByNumber", "latest", false);
}

async function actAfter(): Promise<void> {
  for (const name of SCENARIO_NAMES) if (!TOO_DEAR.includes(name)) await world.play(name);
  await createLarge();
  await world.step(createRandom(1));
}

/** Returns the address of a contract of `LARGE` bytes. */
async function createLarge(): Promise<Hex> {
  const stage = createJsonRpc(front.url);
  const [from = "0x"] = world.accounts;
  const nonce = await rpc.request<Hex>("eth_getTransactionCount", from, "pending");
  const hash = await stage.request<Hex>("eth_sendTransaction", {
    ...{ from, nonce, value: "0x0", data: LARGE_CREATION, gas: "0x3567e00" },
    ...{ maxFeePerGas: "0x2e90edd000", maxPriorityFeePerGas: "0x3b9aca00" },
  });
  await stage.request("evm_mine");
  const receipt = await rpc.request<{ contractAddress: Hex; status: Hex }>(
    "eth_getTransactionReceipt",
    hash,
  );
  expect(receipt.status).toBe("0x1");
  return receipt.contractAddress;
}

/** Indexes the chain, with what is done meanwhile, and compares the index with the node. */
async function indexed(
  database: TestDatabase,
  finalityDepth: number,
  during?: () => Promise<void>,
) {
  const indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [geth.url],
    finalityDepth,
    proofs: true,
  });
  try {
    await during?.();
    const oracle = await createOracleReader(geth.url).read();
    await indexer.reach(oracle.head.hash);
    return { differences: await compareDatabase(database.sql, oracle), status: indexer.status() };
  } finally {
    await indexer.stop();
  }
}

it("the chain has what Amsterdam brings", async () => {
  const { number, blockAccessListHash } = await latest();
  expect(blockAccessListHash).toBeDefined();
  const logs = await rpc.request<{ topics: Hex[] }[]>("eth_getLogs", {
    fromBlock: "0x0",
    address: SYSTEM,
  });
  expect(logs.length).toBeGreaterThan(50);
  let unequal = 0;
  for (let block = 0; block <= Number(number); block++) {
    const at = `0x${block.toString(16)}`;
    const { gasUsed } = await rpc.request<Block>("eth_getBlockByNumber", at, false);
    const receipts = await rpc.request<{ cumulativeGasUsed: Hex }[]>("eth_getBlockReceipts", at);
    const sum = receipts.at(-1)?.cumulativeGasUsed ?? "0x0";
    if (Number(sum) !== Number(gasUsed)) unequal++;
  }
  expect(unequal).toBeGreaterThan(5);
});

it.each([
  ["followed", 1_000_000, true],
  ["was there before", 0, false],
] as const)(
  "a chain whose fork the index %s is indexed as the node has it, every header proven",
  async (_, depth, acts) => {
    const database = await createTestDatabase();
    try {
      const { differences, status } = await indexed(database, depth, acts ? actAfter : undefined);
      expect(differences).toEqual([]);
      expect(status.accepted).toEqual({});
      for (const [part, { proven, unproven, off }] of Object.entries(status.proofs)) {
        expect([part, unproven, off]).toEqual([part, 0, null]);
        // geth's development chain has no withdrawals, and no uncles: there is nothing to prove.
        const isEmpty = part === "uncles" || part === "withdrawals";
        expect({ part, isProven: proven > 0 }).toEqual({ part, isProven: !isEmpty });
      }
      await expectNoToken(database);
    } finally {
      await database.drop();
    }
  },
);

it("a contract larger than before is served whole", async () => {
  const address = await createLarge();
  const database = await createTestDatabase();
  const api = await createTestApp({ sql: database.sql, nodeUrl: geth.url });
  try {
    await indexed(database, 0);
    const payload = { jsonrpc: "2.0", id: 1, method: "eth_getCode", params: [address, "latest"] };
    const code = (await api.app.inject({ method: "POST", url: "/api/eth-rpc", payload })).json<{
      result: Hex;
    }>();
    expect(code.result).toHaveLength(2 + 2 * LARGE);
    const { result } = await ask(
      api.app,
      `module=contract&action=getcontractcreation&contractaddresses=${address}`,
    );
    expect(result).toMatchObject([{ contractAddress: address }]);
  } finally {
    await api.close();
    await database.drop();
  }
});

/** No answer takes the logs of coin transfers for a token; the logs are there. */
async function expectNoToken(database: TestDatabase): Promise<void> {
  const api = await createTestApp({ sql: database.sql, nodeUrl: geth.url });
  const [address] = world.accounts;
  try {
    for (const path of ["/api", "/v2/api"] as const) {
      const about = (query: string) => ask(api.app, `chainid=31337&${query}`, path);
      const lists = [
        `module=account&action=tokentx&contractaddress=${SYSTEM}`,
        `module=token&action=getTokenHolders&contractaddress=${SYSTEM}`,
        `module=token&action=tokenholderlist&contractaddress=${SYSTEM}`,
        `module=token&action=tokeninfo&contractaddress=${SYSTEM}`,
      ];
      for (const query of lists)
        expect(await about(query)).toMatchObject({ status: "0", result: [] });
      expect(await about(`module=token&action=getToken&contractaddress=${SYSTEM}`)).toMatchObject({
        status: "0",
      });
      const { result: transfers } = await about(`module=account&action=tokentx&address=${address}`);
      expect(transfers.length).toBeGreaterThan(0);
      expect(JSON.stringify(transfers)).not.toContain(SYSTEM);
      const held = await about(`module=account&action=addresstokenbalance&address=${address}`);
      expect(held.result.length).toBeGreaterThan(0);
      expect(JSON.stringify(held.result)).not.toContain(SYSTEM);
      const { result: logs } = await about(
        `module=logs&action=getLogs&fromBlock=0&toBlock=latest&address=${SYSTEM}`,
      );
      expect(logs.length).toBeGreaterThan(50);
    }
  } finally {
    await api.close();
  }
}
