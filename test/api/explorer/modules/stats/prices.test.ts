import { describe, expect, test } from "vitest";
import type { Context } from "../../../../../src/api/explorer/action.ts";
import {
  fetchCoinPrices,
  fetchPrice,
} from "../../../../../src/api/explorer/modules/stats/supplies-and-prices.ts";
import type { ContractCall } from "../../../../../src/chain/questions.ts";
import type { Hex } from "../../../../../src/core/evm/hex.ts";
import type { ServedHead } from "../../../../../src/store/sync-state.ts";
import { addressAt } from "../../../../support/build.ts";

const [BTC, USD] = [addressAt(1), addressAt(2)];
const HEAD = { number: 9, hash: "0x99" } as unknown as ServedHead;
const UNKNOWN = { price: null, timestamp: null };

function words(...values: bigint[]): Hex {
  return `0x${values.map((value) => value.toString(16).padStart(64, "0")).join("")}`;
}

function roundOf(answer: bigint): Hex {
  return words(7n, answer, 1n, 1_751_500_800n, 7n);
}

/** Context of an action, when every aggregator returns these answers. */
function contextWith(round: Hex | null, decimals: Hex | null, parts: Partial<Context> = {}) {
  const asked: (readonly ContractCall[])[] = [];
  const fetchCalls = async (calls: readonly ContractCall[], at: unknown) => {
    expect(at).toBe(HEAD);
    asked.push(calls);
    return [round, decimals];
  };
  const read = async (query: (sql: unknown, served: unknown) => unknown) => query(null, HEAD);
  const context = { dialect: "blockscout", priceFeeds: {}, chain: { fetchCalls }, read, ...parts };
  return { context: context as unknown as Context, asked };
}

describe("the price of an aggregator", () => {
  const price = (round: Hex | null, decimals: Hex | null) =>
    fetchPrice(contextWith(round, decimals).context, USD, HEAD);

  test("is its last answer, with the time of that round", async () => {
    const { context, asked } = contextWith(roundOf(123n), words(2n));
    const told = { price: "1.23", timestamp: "1751500800" };
    expect(await fetchPrice(context, USD, HEAD)).toEqual(told);
    expect(asked).toEqual([
      [
        { to: USD, data: "0xfeaf968c" },
        { to: USD, data: "0x313ce567" },
      ],
    ]);
  });

  test("is not asked for without one", async () => {
    const { context, asked } = contextWith(roundOf(123n), words(2n));
    expect(await fetchPrice(context, undefined, HEAD)).toEqual(UNKNOWN);
    expect(asked).toEqual([]);
  });

  test.each<[string, Hex | null, Hex | null]>([
    ["its answer is missing", null, words(2n)],
    ["its decimals are missing", roundOf(123n), null],
    ["its answer is short", words(7n, 123n, 1n, 1n), words(2n)],
    ["its decimals are short", roundOf(123n), "0x02"],
    ["its answer is 0", roundOf(0n), words(2n)],
    ["its answer is negative", roundOf(2n ** 255n), words(2n)],
    ["it has too many decimals", roundOf(123n), words(78n)],
  ])("is unknown when %s", async (_case, round, decimals) => {
    expect(await price(round, decimals)).toEqual(UNKNOWN);
  });

  test("may have 77 decimals, and fill 255 bits", async () => {
    expect((await price(roundOf(1n), words(77n))).price).toBe(`0.${"1".padStart(77, "0")}`);
    const largest = 2n ** 255n - 1n;
    expect((await price(roundOf(largest), words(0n))).price).toBe(String(largest));
  });
});

describe("the prices of the coin", () => {
  const PRICE = { price: "1.23", timestamp: "1751500800" };
  const prices = (parts: Partial<Context>) =>
    fetchCoinPrices(contextWith(roundOf(123n), words(2n), parts).context);

  test("are known where there is an aggregator", async () => {
    expect(await prices({ priceFeeds: { btc: BTC } })).toEqual({ btc: PRICE, usd: UNKNOWN });
    expect(await prices({ priceFeeds: { usd: USD } })).toEqual({ btc: UNKNOWN, usd: PRICE });
  });

  test("ask nothing without any", async () => {
    const read = () => Promise.reject(new Error("nothing is to be read"));
    expect(await prices({ read: read as unknown as Context["read"] })).toEqual({
      btc: UNKNOWN,
      usd: UNKNOWN,
    });
  });

  test("are 0 at the present time in Etherscan's dialect, where they are not known", async () => {
    const { btc, usd } = await prices({ dialect: "etherscan", priceFeeds: { usd: USD } });
    expect(usd).toEqual(PRICE);
    expect(btc).toEqual({ price: "0", timestamp: expect.stringMatching(/^\d{10}$/) });
  });
});
