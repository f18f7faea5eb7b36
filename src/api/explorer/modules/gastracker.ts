import { formatUnits } from "viem/utils";
import { z } from "zod";
import { divideRounded } from "../../../core/decimal.ts";
import type { GasBlock } from "../../../store/blocks/gas-window.ts";
import { defineAction } from "../action.ts";
import { failed, ok } from "../envelope.ts";
import { estimateSeconds, GAS_NOT_ESTIMATED, type GasPrices } from "../gas.ts";
import { text } from "../params.ts";
import * as wire from "../wire.ts";
import { fetchPrice } from "./stats/supplies-and-prices.ts";

const GWEI_DECIMALS = 9;
const RATIO_PLACES = 15;
const RATIO_BLOCKS = 5;

/** Two Gwei, as at Etherscan. */
const STANDARD_PRICE = 2_000_000_000n;
const INVALID = "Invalid gasprice format";

type Priced = GasPrices & { price: string | null };
const priced = wire.defineRecord<Priced>()({
  LastBlock: [wire.decimal, ({ head }) => String(head.number)],
  SafeGasPrice: [wire.decimalFraction, ({ safe }) => gwei(safe)],
  ProposeGasPrice: [wire.decimalFraction, ({ proposed }) => gwei(proposed)],
  FastGasPrice: [wire.decimalFraction, ({ fast }) => gwei(fast)],
  suggestBaseFee: [wire.decimalFraction, ({ nextBaseFee }) => gwei(nextBaseFee ?? 0n)],
  gasUsedRatio: [z.string(), ({ blocks }) => blocks.slice(-RATIO_BLOCKS).map(ratio).join(",")],
  UsdPrice: [wire.decimalFraction.optional(), ({ price }) => price ?? undefined],
});

export const gastracker = {
  gasoracle: defineAction({
    summary: "Gas prices in Gwei, base fee included, that the newest 20 blocks would have accepted",
    dialect: "etherscan",
    params: z.object({}),
    result: priced.schema,
    example: {},
    async handle(context) {
      const prices = await context.gasOracle(context);
      if (!prices) return failed("loading", GAS_NOT_ESTIMATED);
      const { price } = await fetchPrice(context, context.priceFeeds.usd, prices.head);
      return ok(priced.present({ ...prices, price }));
    },
  }),
  gasestimate: defineAction({
    summary: "Estimated seconds until a transaction of a gas price is in a block",
    dialect: "etherscan",
    params: z.object({
      gasprice: text({ invalid: INVALID })
        .regex(/^0{0,77}[1-9]\d{0,77}$/, INVALID)
        .transform(BigInt)
        .optional()
        .meta({
          description: "Price in wei; 2000000000 when absent",
          type: "integer",
          pattern: undefined,
          minimum: 1,
        }),
    }),
    result: wire.decimal,
    example: { gasprice: "2000000000" },
    async handle(context, { gasprice = STANDARD_PRICE }) {
      const prices = await context.gasOracle(context);
      return prices
        ? ok(String(estimateSeconds(gasprice, prices)))
        : failed("loading", GAS_NOT_ESTIMATED);
    },
  }),
};

function gwei(wei: bigint): string {
  return formatUnits(wei, GWEI_DECIMALS);
}

/** Returns the used share of the limit, rounded half up. */
function ratio({ gasUsed, gasLimit }: GasBlock): string {
  const [used, limit] = [BigInt(gasUsed), BigInt(gasLimit)];
  if (limit === 0n) return "0";
  return formatUnits(divideRounded(used * 10n ** BigInt(RATIO_PLACES), limit), RATIO_PLACES);
}
