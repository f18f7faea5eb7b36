import { z } from "zod";
import { formatUnits } from "../../../../core/decimal.ts";
import type { Address } from "../../../../core/evm/address.ts";
import { type Hex, hexLength, wordAt } from "../../../../core/evm/hex.ts";
import { quantityToBigInt } from "../../../../core/evm/quantity.ts";
import type { ServedHead } from "../../../../store/sync-state.ts";
import { type Context, defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";

/** Price of the coin; null without a source. */
interface CoinPrice {
  /** Decimal text. */
  price: string | null;
  /** Unix seconds of the price, as text. */
  timestamp: string | null;
}

// Chainlink's AggregatorV3Interface.
const LATEST_ROUND_DATA: Hex = "0xfeaf968c";
const DECIMALS: Hex = "0x313ce567";
const SIGN_BIT = 1n << 255n;
const MAXIMUM_DECIMALS = 77n;

const UNKNOWN: CoinPrice = { price: null, timestamp: null };

/** The prices of the coin, in each explorer's form. */
export const coinPriceActions = {
  ethprice: defineCoinPrice(
    "Price of the coin in bitcoin and US dollars, from aggregators on chain",
    "eth",
  ),
  coinprice: defineCoinPrice("Price of the coin, in Blockscout's field names", "coin_"),
};

function defineCoinPrice(summary: string, prefix: "eth" | "coin_") {
  return defineAction({
    summary,
    params: z.object({}),
    result: z.object({
      [`${prefix}btc`]: wire.decimalFraction.nullable(),
      [`${prefix}btc_timestamp`]: wire.decimal.nullable(),
      [`${prefix}usd`]: wire.decimalFraction.nullable(),
      [`${prefix}usd_timestamp`]: wire.decimal.nullable(),
    }),
    example: {},
    async handle(context) {
      const { btc, usd } = await fetchCoinPrices(context);
      return ok({
        [`${prefix}btc`]: btc.price,
        [`${prefix}btc_timestamp`]: btc.timestamp,
        [`${prefix}usd`]: usd.price,
        [`${prefix}usd_timestamp`]: usd.timestamp,
      });
    },
  });
}

/** Reads the coin's prices at the head. An unknown one is null, and 0 at the present time in Etherscan's dialect. */
export async function fetchCoinPrices(context: Context) {
  const { btc, usd } = context.priceFeeds;
  const head =
    (btc ?? usd) && (await context.read(async (_sql, served) => served, "one statement"));
  const unknown = { price: "0", timestamp: String(Math.floor(Date.now() / 1000)) };
  const readPrice = async (feed: Address | undefined) => {
    const found = head ? await fetchPrice(context, feed, head) : UNKNOWN;
    return found.price === null && context.dialect === "etherscan" ? unknown : found;
  };
  return { btc: await readPrice(btc), usd: await readPrice(usd) };
}

/** Reads the price of an aggregator contract at the head; unknown without one. */
export async function fetchPrice(
  { chain }: Pick<Context, "chain">,
  feed: Address | undefined,
  head: ServedHead,
): Promise<CoinPrice> {
  if (!feed) return UNKNOWN;
  const [round, decimals] = await chain.fetchCalls(
    [
      { to: feed, data: LATEST_ROUND_DATA },
      { to: feed, data: DECIMALS },
    ],
    head,
  );
  if (!round || !decimals || hexLength(round) < 5 * 32 || hexLength(decimals) < 32) return UNKNOWN;
  const answer = quantityToBigInt(wordAt(round, 1));
  const places = quantityToBigInt(wordAt(decimals, 0));
  if (answer === 0n || answer >= SIGN_BIT || places > MAXIMUM_DECIMALS) return UNKNOWN;
  return {
    price: formatUnits(answer, Number(places)),
    timestamp: String(quantityToBigInt(wordAt(round, 3))),
  };
}
