import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createTestApp, type TestApp } from "../support/app.ts";
import { ask } from "../support/ask.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { lie, nothing } from "../support/scripted-node/faults.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const [ann, ben] = [scriptedAddress("ann"), scriptedAddress("ben")];
const COIN = 10n ** 18n;
const STATIC_REWARD = 5n * COIN;

describe("uncles", () => {
  let node: ScriptedNode;
  let api: TestApp;
  let indexer: TestIndexer;

  beforeAll(async () => {
    const chain = new ScriptedChain({ chainId: 1, provable: true });
    node = await startScriptedNode({ chain });
    api = await createTestApp({ nodeUrl: node.url, staticReward: STATIC_REWARD });
    chain.mine(7, {
      miner: ann,
      uncles: [
        { miner: ann, distance: 1 },
        { miner: ben, distance: 7 },
      ],
      state: { balances: { [ann]: 7n * COIN, [ben]: COIN } },
    });
    chain.mine({ miner: ben, uncles: [{ miner: ann, distance: 2 }] });
    const databaseUrl = new URL(inject("postgresUrl"));
    databaseUrl.pathname = api.sql.options.database;
    indexer = startTestIndexer({
      databaseUrl: databaseUrl.href,
      rpcUrls: [node.url],
      proofs: true,
    });
    await indexer.reach(chain.head.block.hash);
  });

  afterAll(async () => {
    await indexer?.stop();
    await api?.close();
    await node?.stop();
  });

  const differences = async () =>
    compareDatabase(api.sql, await createOracleReader(node.url).read());
  const get = async (query: string) => (await ask(api.app, query, "/v2/api")).result;

  it("are asked for where a block names them only", () => {
    expect(node.count("eth_getUncleByBlockNumberAndIndex")).toBe(3);
  });

  it("are indexed with their producers' balances, and proven", async () => {
    expect(await differences()).toEqual([]);
    await indexer.until(() => indexer.status().proofs.uncles.proven > 0);
    expect(indexer.status().proofs.uncles).toEqual({ proven: 2, unproven: 0, off: null });
  });

  it("are told with their rewards: an eighth less for each block of age, 1/32 for the nephew", async () => {
    expect(await get("module=block&action=getblockreward&blockno=8")).toMatchObject({
      blockMiner: ann,
      blockReward: String(STATIC_REWARD + (STATIC_REWARD * 2n) / 32n),
      uncles: [
        { unclePosition: "0", miner: ann, blockreward: String((STATIC_REWARD * 7n) / 8n) },
        { unclePosition: "1", miner: ben, blockreward: String(STATIC_REWARD / 8n) },
      ],
      uncleInclusionReward: String((STATIC_REWARD * 2n) / 32n),
    });
  });

  it("are listed by their producer, newest first", async () => {
    const timeOf = (number: number) => String(1_700_000_000 + 12 * number + 1);
    const list = (page: string) =>
      get(`module=account&action=getminedblocks&blocktype=uncles&address=${ann}${page}`);
    const [first, second] = [
      { blockNumber: "7", timeStamp: timeOf(7), blockReward: String((STATIC_REWARD * 6n) / 8n) },
      { blockNumber: "7", timeStamp: timeOf(7), blockReward: String((STATIC_REWARD * 7n) / 8n) },
    ];
    expect(await list("")).toEqual([first, second]);
    expect(await list("&page=2&offset=1")).toEqual([second]);
  });

  it("are counted by day", async () => {
    const days = "startdate=2023-11-14&enddate=2023-11-15";
    expect(await get(`module=stats&action=dailyuncleblkcount&${days}`)).toMatchObject([
      { uncleBlockCount: 3, uncleBlockRewards_Eth: "8.75" },
    ]);
  });

  it.each([
    ["does not give one", nothing()],
    ["gives another one", lie((uncle) => ({ ...(uncle as object), hash: `0x${"ab".repeat(32)}` }))],
    ["gives one with another producer", lie((uncle) => ({ ...(uncle as object), miner: ben }))],
    ["gives one of the future", lie((uncle) => ({ ...(uncle as object), number: "0xffff" }))],
  ])("are not believed of a node that %s", async (_, effect) => {
    const { hash } = node.chain.head.block;
    node.fail({ method: "eth_getUncleByBlockNumberAndIndex", effect });
    node.chain.mine({ uncles: [{ miner: ann, distance: 1 }] });
    await indexer.until(() => indexer.status().phase === "waiting");
    expect(await api.sql`SELECT head_hash FROM sync_state`).toMatchObject([{ headHash: hash }]);
    node.heal();
    await indexer.reach(node.chain.head.block.hash);
    expect(await differences()).toEqual([]);
  });

  it("follow a reorg", async () => {
    node.chain.reorg(2, { uncles: [{ miner: ben, distance: 3 }] }, 2);
    await indexer.reach(node.chain.head.block.hash);
    expect(await differences()).toEqual([]);
  });
});
