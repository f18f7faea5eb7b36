import type { Address } from "../../../core/address.ts";
import { formatUnits } from "../../../core/decimal.ts";
import { type Hex, hexLength, wordAt } from "../../../core/hex.ts";
import { quantityToBigInt } from "../../../core/quantity.ts";
import type { ServedHead } from "../../../store/sync-state.ts";
import type { Context } from "../../action.ts";

/** Price of the coin; null where no source tells it. */
interface CoinPrice {
  /** Decimal text. */
  price: string | null;
  /** Unix seconds of the price, as text. */
  timestamp: string | null;
}

export interface CoinPrices {
  btc: CoinPrice;
  usd: CoinPrice;
}

// Chainlink's AggregatorV3Interface.
const LATEST_ROUND_DATA: Hex = "0xfeaf968c";
const DECIMALS: Hex = "0x313ce567";
const SIGN_BIT = 1n << 255n;
const MAXIMUM_DECIMALS = 77n;

const UNKNOWN: CoinPrice = { price: null, timestamp: null };

/**
 * Prices of the coin at the served head, from the configured aggregator contracts. An unknown price is null in
 * Blockscout's dialect; in Etherscan's, whose clients take only strings, the price is 0 and the time is now.
 */
export async function fetchCoinPrices(context: Context): Promise<CoinPrices> {
  const { btc, usd } = context.priceFeeds;
  const prices = btc || usd ? await fetchPrices(context) : { btc: UNKNOWN, usd: UNKNOWN };
  if (context.dialect === "blockscout") return prices;
  const unknown = { price: "0", timestamp: String(Math.floor(Date.now() / 1000)) };
  const filled = (price: CoinPrice) => (price.price === null ? unknown : price);
  return { btc: filled(prices.btc), usd: filled(prices.usd) };
}

async function fetchPrices(context: Context): Promise<CoinPrices> {
  const { btc, usd } = context.priceFeeds;
  const head = await context.read(async (_sql, served) => served, "one statement");
  return {
    btc: await fetchPrice(context, btc, head),
    usd: await fetchPrice(context, usd, head),
  };
}

/** The price that an aggregator contract gives at the head; unknown without one. */
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
