import { formatUnits } from "viem/utils";
import { z } from "zod";
import { formatRounded } from "../../../../core/decimal.ts";
import type { Address } from "../../../../core/evm/address.ts";
import { type Hex, hexLength, wordAt } from "../../../../core/evm/hex.ts";
import { quantityToBigInt } from "../../../../core/evm/quantity.ts";
import type { Queryable } from "../../../../db/client.ts";
import { type CoinSupply, getCoinSupply } from "../../../../store/state/addresses/coin-supply.ts";
import { getTotalStatistics } from "../../../../store/state/daily-statistics.ts";
import { getToken } from "../../../../store/state/tokens/token.ts";
import type { ServedHead } from "../../../../store/sync-state.ts";
import { type Context, defineAction } from "../../action.ts";
import { failed, ok, plainText } from "../../envelope.ts";
import { answered, atBlock, INVALID_BLOCK } from "../../from-node/accounts.ts";
import { stillReading } from "../../from-node/holdings.ts";
import { readToken } from "../../from-node/members.ts";
import { address, blockNumber, listMissing } from "../../params.ts";
import * as wire from "../../wire.ts";

const CMC_PLACES = 9;

const NOT_FOLLOWED =
  "The coin supply is not known: without internal transactions, or with fees that no block names, balances change unseen";
const WEI_PER_GWEI = 1_000_000_000n;

export const supplies = {
  tokensupply: defineAction({
    summary: "Total supply of a token in its smallest unit, or as plain text in whole tokens",
    mayBeText: true,
    params: z.object({
      contractaddress: address({
        required: "Query parameter contract address is required",
        invalid: "Invalid contract address format",
      }).describe("Token contract"),
      cmc: z
        .literal("true")
        .optional()
        .catch(undefined)
        .describe("`true`: answer with the supply in whole tokens, as plain text"),
    }),
    result: wire.decimal.nullable(),
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35" },
    async handle(context, { contractaddress, cmc }) {
      const token = await readToken(context, contractaddress);
      if (!token) return failed("not-found", "Contract address not found");
      const { totalSupply, decimals } = token;
      if (cmc === undefined) return ok(totalSupply);
      return plainText(formatRounded(BigInt(totalSupply ?? 0), decimals ?? 0, CMC_PLACES));
    },
  }),
  tokensupplyhistory: defineAction({
    summary:
      "Total supply of a token after a block, where the node still has the state of that time",
    params: z.object({
      contractaddress: address({ invalid: "Invalid contract address format" }).describe(
        "Token contract",
      ),
      blockno: blockNumber({ invalid: INVALID_BLOCK }),
    }),
    missing: listMissing,
    result: wire.decimal.nullable(),
    example: { contractaddress: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35", blockno: "10" },
    async handle(context, { contractaddress, blockno }) {
      const find = async (sql: Queryable) =>
        (await getToken(sql, contractaddress)) ?? failed("not-found", "Contract address not found");
      return atBlock(context, blockno, find, async (block) => {
        const [read] = await context.chain.fetchTotalSupplies([contractaddress], block);
        return ok(answered(read)?.toString() ?? null);
      });
    },
  }),
  ethsupply: defineSupply({
    summary: "Sum of all coin balances in wei",
    result: wire.decimal,
    present: async ({ total }) => total,
  }),
  ethsupply2: defineSupply({
    summary: "Coin supply, burnt fees and withdrawals of the whole chain, in wei",
    result: z.object({
      EthSupply: wire.decimal,
      Eth2Staking: wire.decimal,
      BurntFees: wire.decimal,
      WithdrawnTotal: wire.decimal,
    }),
    async present({ total }, sql) {
      const { burntFees, withdrawnGwei } = await getTotalStatistics(sql);
      return {
        EthSupply: total,
        Eth2Staking: "0",
        BurntFees: burntFees,
        WithdrawnTotal: String(BigInt(withdrawnGwei) * WEI_PER_GWEI),
      };
    },
  }),
  ethsupplyexchange: defineAction({
    summary:
      "Coin supply from a price source, in wei; always 0, since on-chain aggregators have none",
    params: z.object({}),
    result: wire.decimal,
    example: {},
    async handle() {
      return ok("0");
    },
  }),
  coinsupply: defineSupply({
    summary: "Sum of all coin balances except the zero address's, in whole coins",
    result: wire.decimalFraction,
    present: async ({ total, zeroAddress }) => formatUnits(BigInt(total) - BigInt(zeroAddress), 18),
  }),
};

/** Declares an action on the coin supply at the head; fails where balances change unseen or are pending. */
function defineSupply<Result extends z.ZodType>({
  present,
  ...supply
}: {
  summary: string;
  result: Result;
  present(supply: CoinSupply, sql: Queryable): Promise<z.output<Result>>;
}) {
  return defineAction({
    ...supply,
    params: z.object({}),
    example: {},
    handle: ({ read }) =>
      read(async (sql) => {
        const found = await getCoinSupply(sql);
        if (found && !found.followed) return failed("unsupported", NOT_FOLLOWED);
        if (!found || found.pending) throw stillReading();
        return ok(await present(found, sql));
      }),
  });
}

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
