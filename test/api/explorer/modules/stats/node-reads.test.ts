import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Hex } from "../../../../../src/core/evm/hex.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { addressAt, publish } from "../../../../support/build.ts";
import { nodeBlocks } from "../../../../support/node-blocks.ts";
import { TOTAL_SUPPLY_DATA, word } from "../../../../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../../../../support/scripted-node.ts";

const TOKEN = addressAt(0x70);
const USD_FEED = addressAt(0xf1);
const BTC_FEED = addressAt(0xf2);
const LATEST_ROUND_DATA: Hex = "0xfeaf968c";
const DECIMALS: Hex = "0x313ce567";

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  server = await createTestApp({
    nodeUrl: node.url,
    priceFeeds: { usd: USD_FEED, btc: BTC_FEED },
  });
});
afterAll(async () => {
  await server.close();
  await node.stop();
});
beforeEach(async () => {
  node.heal();
  node.behaviour.statesKept = Number.POSITIVE_INFINITY;
  node.chain.reset();
  await server.sql`TRUNCATE blocks, tokens, sync_state`;
});

async function ask(query: string, path = "/api") {
  const response = await server.app.inject(`${path}?module=stats&${query}`);
  return { status: response.statusCode, body: response.json() };
}

function words(...values: (bigint | number)[]): Hex {
  return `0x${values.map((value) => word(value).slice(2)).join("")}`;
}

describe("the supply of a token that must be read again", () => {
  const supply = (returns: Hex | null) => [{ to: TOKEN, data: TOTAL_SUPPLY_DATA, returns }];
  const query = `action=tokensupply&contractaddress=${TOKEN}`;

  beforeEach(() => {
    node.chain.mine(
      { state: { code: { [TOKEN]: "0x01" }, calls: supply(word(500)) } },
      { state: { calls: supply(word(700)) } },
      { state: { calls: supply(word(900)) } },
    );
  });

  test.each([
    ["it was not read since it changed", { supplyBlock: null, totalSupply: "1" }],
    ["it is a token that changes silently", { irregular: true, totalSupply: "1", supplyBlock: 1 }],
  ])("is the contract's at the served head: %s", async (_why, fields) => {
    await publish(server.sql, {
      blocks: nodeBlocks(node.chain).slice(0, 3),
      tokens: [{ address: TOKEN, ...fields }],
    });
    expect((await ask(query)).body.result).toBe("700");
  });

  test("is null when the contract does not answer", async () => {
    node.chain.mine({ state: { calls: supply(null) } });
    await publish(server.sql, {
      blocks: nodeBlocks(node.chain),
      tokens: [{ address: TOKEN, supplyBlock: null }],
    });
    expect((await ask(query)).body).toEqual({ status: "1", message: "OK", result: null });
  });

  test("is refused when no node answers", async () => {
    await publish(server.sql, {
      blocks: nodeBlocks(node.chain),
      tokens: [{ address: TOKEN, supplyBlock: null }],
    });
    node.fail({ effect: { kind: "drop" } });
    expect(await ask(query)).toEqual({
      status: 503,
      body: {
        status: "0",
        message: "The node does not answer, please try again later",
        result: null,
      },
    });
  });
});

describe("tokensupplyhistory", () => {
  const query = `action=tokensupplyhistory&contractaddress=${TOKEN}`;

  beforeEach(async () => {
    const supply = (returns: Hex) => [{ to: TOKEN, data: TOTAL_SUPPLY_DATA, returns }];
    node.chain.mine(
      { state: { code: { [TOKEN]: "0x01" }, calls: supply(word(500)) } },
      { state: { calls: supply(word(700)) } },
    );
    await publish(server.sql, { blocks: nodeBlocks(node.chain), tokens: [{ address: TOKEN }] });
  });

  test("is what the contract told after that block", async () => {
    expect((await ask(`${query}&blockno=1`)).body.result).toBe("500");
    expect((await ask(`${query}&blockno=2`)).body.result).toBe("700");
  });

  test("is none before the contract was there", async () => {
    expect((await ask(`${query}&blockno=0`)).body.result).toBe("0");
  });

  test("is refused with words when the node has dropped the state", async () => {
    node.behaviour.statesKept = 1;
    expect((await ask(`${query}&blockno=1`)).body).toEqual({
      status: "0",
      message: "Historical state is not available",
      result: null,
    });
  });
});

describe("prices", () => {
  function feed(to: Hex, answer: bigint, decimals: number) {
    return [
      { to, data: LATEST_ROUND_DATA, returns: words(7, answer, 1_751_500_000, 1_751_500_800, 7) },
      { to, data: DECIMALS, returns: words(decimals) },
    ];
  }

  test("come from the aggregators, with the time of their round", async () => {
    node.chain.mine({
      state: { calls: [...feed(USD_FEED, 261_140_000_000n, 8), ...feed(BTC_FEED, 3_117_000n, 8)] },
    });
    await publish(server.sql, { blocks: nodeBlocks(node.chain) });
    expect((await ask("action=coinprice")).body.result).toEqual({
      coin_btc: "0.03117",
      coin_btc_timestamp: "1751500800",
      coin_usd: "2611.4",
      coin_usd_timestamp: "1751500800",
    });
    expect((await ask("action=ethprice", "/v2/api")).body.result).toEqual({
      ethbtc: "0.03117",
      ethbtc_timestamp: "1751500800",
      ethusd: "2611.4",
      ethusd_timestamp: "1751500800",
    });
  });

  test.each<[string, Hex | null]>([
    ["reverts", null],
    ["is no contract", "0x"],
    ["answers with too few words", words(1, 2)],
    ["tells a price of 0", words(7, 0, 1, 1, 7)],
    ["tells a negative price", words(7, 2n ** 256n - 5n, 1, 1, 7)],
  ])("are null when the aggregator %s", async (_what, returns) => {
    node.chain.mine({
      state: {
        calls: [
          ...feed(BTC_FEED, 3_117_000n, 8),
          { to: USD_FEED, data: LATEST_ROUND_DATA, returns },
          { to: USD_FEED, data: DECIMALS, returns: words(8) },
        ],
      },
    });
    await publish(server.sql, { blocks: nodeBlocks(node.chain) });
    expect((await ask("action=ethprice")).body.result).toEqual({
      ethbtc: "0.03117",
      ethbtc_timestamp: "1751500800",
      ethusd: null,
      ethusd_timestamp: null,
    });
  });
});
