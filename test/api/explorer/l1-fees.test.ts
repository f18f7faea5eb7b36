import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import type { TransactionSpecification } from "../../support/scripted-node/specification.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

// Receipts in the forms of rollups, with figures of our own.

const sender = scriptedAddress("sender");
let node: ScriptedNode;
let api: TestApp;
let indexer: TestIndexer | undefined;

async function open(): Promise<void> {
  node = await startScriptedNode();
  api = await createTestApp({ nodeUrl: node.url });
}

async function close(): Promise<void> {
  await indexer?.stop();
  indexer = undefined;
  await api.close();
  await node.stop();
}

async function index(): Promise<void> {
  const databaseUrl = new URL(inject("postgresUrl"));
  databaseUrl.pathname = api.sql.options.database;
  indexer ??= startTestIndexer({ databaseUrl: databaseUrl.href, rpcUrls: [node.url] });
  await indexer.reach(node.chain.head.block.hash);
}

async function mine(...transactions: TransactionSpecification[]): Promise<void> {
  node.chain.mine({ transactions: transactions.map((one) => ({ from: sender, ...one })) });
  await index();
}

async function ask(parameters: Record<string, string>, path = "/v2/api") {
  const query = new URLSearchParams({ chainid: "31337", ...parameters });
  return (await api.app.inject(`${path}?${query}`)).json();
}

const list = { module: "account", action: "txlist", address: sender, sort: "asc" };

async function listed(path?: string): Promise<(string | undefined)[]> {
  const { result } = await ask(list, path);
  return result.map((row: { L1FeesPaid?: string }) => row.L1FeesPaid);
}

async function rpc(method: string, ...params: unknown[]) {
  const response = await api.app.inject({
    method: "POST",
    url: "/api/eth-rpc",
    payload: { jsonrpc: "2.0", id: 1, method, params },
  });
  return response.json().result;
}

/** As `listed`, of the newest transaction. */
async function listedLast(path?: string): Promise<string | undefined> {
  return (await listed(path)).at(-1);
}

function newest(): { hash: string; number: number } {
  const { transactions, number } = node.chain.head.block;
  return { hash: transactions.at(-1)?.hash ?? "", number: Number(number) };
}

const BEDROCK = { l1Fee: "0x9a1", l1GasPrice: "0x5", l1GasUsed: "0x6a4", l1FeeScalar: "0.684" };
const ECOTONE = {
  ...{ l1Fee: "0x5d21", l1GasPrice: "0x77", l1GasUsed: "0x640", l1BaseFeeScalar: "0x558" },
  ...{ l1BlobBaseFee: "0x1", l1BlobBaseFeeScalar: "0xc5fc5" },
};
const ISTHMUS = { ...ECOTONE, operatorFeeScalar: "0x3e8", operatorFeeConstant: "0x7" };

// On one chain, which has no L1 fees until the second test.
describe("receipts of rollups", () => {
  beforeAll(open);
  afterAll(close);

  it.each([
    ["Arbitrum", { gasUsedForL1: "0x1f4", l1BlockNumber: "0x1312d00" }],
    ["ZKsync", { l1BatchNumber: "0x7a120", l1BatchTxIndex: "0x5" }],
    ["Tempo", { feeToken: scriptedAddress("token"), feePayer: scriptedAddress("payer") }],
  ])("keeps the receipts of %s, which has no L1 fees", async (_, fields) => {
    await mine({ receiptFields: fields });
    expect(await rpc("eth_getTransactionReceipt", newest().hash)).toMatchObject(fields);
    expect(await listedLast()).toBeUndefined();
  });

  it.each([
    ["the first OP stack", BEDROCK],
    ["Ecotone", ECOTONE],
    ["Fjord", { ...ECOTONE, l1GasUsed: "0x0" }],
    ["Isthmus", ISTHMUS],
    ["Jovian", { ...ISTHMUS, daFootprintGasScalar: "0x190" }],
    ["Scroll", { l1Fee: "0x1d4c" }],
    ["Mantle", { ...BEDROCK, tokenRatio: "0xbb8" }],
    ["Celo", { ...ECOTONE, l1Fee: "0x0" }],
  ])("keeps and shows the receipts of %s", async (_, fields) => {
    await mine({ receiptFields: fields });
    expect(await rpc("eth_getTransactionReceipt", newest().hash)).toMatchObject(fields);
    const fee = String(BigInt(fields.l1Fee));
    expect(await listedLast()).toBe(fee);
    expect(await listedLast("/api")).toBeUndefined();
    const info = { module: "transaction", action: "gettxinfo", txhash: newest().hash };
    expect((await ask(info)).result.L1FeesPaid).toBe(fee);
    expect((await ask(info, "/api")).result).not.toHaveProperty("L1FeesPaid");
  });

  it("takes an absurd value for none, and goes on", async () => {
    const absurd = ["0x1".padEnd(70, "0"), "12", "0x", -1, {}, "0xzz", true, null];
    const names = ["l1Fee", "l1GasUsed", "l1FeeScalar", "operatorFeeScalar", "feePayer"];
    const wrong = absurd.map((value) => Object.fromEntries(names.map((name) => [name, value])));
    await mine(...wrong.map((receiptFields) => ({ receiptFields })), { receiptFields: BEDROCK });
    expect((await listed()).slice(-9)).toEqual([...absurd.map(() => "0"), "2465"]);
    const [first] = node.chain.head.block.transactions;
    const kept = await rpc("eth_getTransactionReceipt", first?.hash);
    for (const name of names) expect(kept).not.toHaveProperty(name);
  });
});

describe("a chain with L1 fees", () => {
  beforeEach(open);
  afterEach(close);

  it("has the field on every row from the first receipt with an L1 fee on, and in sums of fees", async () => {
    await mine({});
    expect(await listed()).toEqual([undefined]);
    const feesOfBlock = async () =>
      (await ask({ module: "block", action: "getblock", block: "latest" })).result.L1FeesPaid;
    expect(await feesOfBlock()).toBeUndefined();
    await mine({ type: 126, effectiveGasPriceWei: 0n }, { receiptFields: BEDROCK });
    expect(await listed()).toEqual(["0", "0", "2465"]);
    expect(await feesOfBlock()).toBe("2465");
    const day = new Date(Number(node.chain.head.block.timestamp) * 1000).toISOString().slice(0, 10);
    const gas = 2n * 21_000n * 2_000_000_000n;
    const total = () => ask({ module: "stats", action: "totalfees", date: day });
    expect((await total()).result).toBe(String(gas + 2465n));
    // A rolled back fee is not paid.
    node.chain.reorg(1, { transactions: [{ from: sender, receiptFields: { l1Fee: "0x1" } }] });
    node.chain.mine({});
    await index();
    expect((await total()).result).toBe(String(gas + 1n));
    expect(await listed()).toEqual(["0", "1"]);
    expect(await feesOfBlock()).toBe("0");
    const { result } = await ask({
      ...{ module: "stats", action: "dailytxnfee", startdate: day, enddate: day },
    });
    expect(result[0].transactionFee_Eth).toBe("0.000084000000000001");
  });

  it("serves the signed price of a legacy transaction beside the effective one", async () => {
    await mine({ type: 0, fields: { gasPrice: "0x59682f00" }, effectiveGasPriceWei: 100_000_000n });
    const { hash } = newest();
    expect((await rpc("eth_getTransactionByHash", hash)).gasPrice).toBe("0x59682f00");
    expect((await rpc("eth_getTransactionReceipt", hash)).effectiveGasPrice).toBe("0x5f5e100");
    expect((await ask(list)).result[0].gasPrice).toBe("100000000");
  });

  it("shows what deposits and batches have under the chain's own names", async () => {
    const calls = [{ to: scriptedAddress("a"), value: "0x1", input: "0x1234" }];
    const deposit = {
      mint: "0xde0b6b3a7640000",
      sourceHash: `0x${"5".repeat(64)}`,
      isSystemTx: false,
    };
    for (const fields of [deposit, { calls, feeToken: scriptedAddress("token") }]) {
      await mine({ type: 0x76, fields });
      const { hash } = newest();
      expect(await rpc("eth_getTransactionByHash", hash)).toMatchObject(fields);
      const info = { module: "transaction", action: "gettxinfo", txhash: hash, details: "true" };
      expect((await ask(info)).result.details.chainFields).toEqual(fields);
    }
  });

  it("reads the fees of rows of an earlier version again, which are unknown until then", async () => {
    await mine({ receiptFields: BEDROCK }, {});
    await mine({ receiptFields: ISTHMUS });
    await indexer?.stop();
    indexer = undefined;
    const { sql } = api;
    // As an earlier version left them.
    await sql`UPDATE transactions SET l1_fee = NULL, extra = NULL`;
    await sql`UPDATE blocks SET l1_fees = NULL`;
    await sql`UPDATE daily_statistics SET l1_fees = 0`;
    await sql`UPDATE sync_state SET l1_fees_from = head_number + 1`;
    const day = new Date(Number(node.chain.head.block.timestamp) * 1000).toISOString().slice(0, 10);
    const total = () => ask({ module: "stats", action: "totalfees", date: day });
    expect(await listed()).toEqual(["", "", ""]);
    const block = { module: "block", action: "getblock", block: "latest" };
    expect((await ask(block)).result.L1FeesPaid).toBe("");
    expect((await total()).status).toBe("0");
    await index();
    await expect.poll(() => listed(), { timeout: 30_000 }).toEqual(["2465", "0", "23841"]);
    expect((await total()).result).toBe(String(3n * 21_000n * 2_000_000_000n + 26_306n));
    expect(await rpc("eth_getTransactionReceipt", newest().hash)).toMatchObject(ISTHMUS);
  });
});
