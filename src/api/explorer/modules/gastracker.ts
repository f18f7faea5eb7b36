import { z } from "zod";
import { divideRounded, formatUnits } from "../../../core/decimal.ts";
import type { GasBlock } from "../../../store/blocks/gas-window.ts";
import { defineAction } from "../action.ts";
import { failed, ok } from "../envelope.ts";
import { estimateSeconds, GAS_NOT_ESTIMATED } from "../gas.ts";
import { text } from "../params.ts";
import * as wire from "../wire.ts";
import { fetchPrice } from "./stats/supplies-and-prices.ts";

const GWEI_DECIMALS = 9;
const RATIO_PLACES = 15;
const RATIO_BLOCKS = 5;

/** Two Gwei, as at Etherscan. */
const STANDARD_PRICE = 2_000_000_000n;
const INVALID = "Invalid gasprice format";

export const gastracker = {
  gasoracle: defineAction({
    summary: "Gas prices in Gwei, base fee included, that the newest 20 blocks would have accepted",
    dialect: "etherscan",
    params: z.object({}),
    result: z.object({
      LastBlock: wire.decimal,
      SafeGasPrice: wire.decimalFraction,
      ProposeGasPrice: wire.decimalFraction,
      FastGasPrice: wire.decimalFraction,
      suggestBaseFee: wire.decimalFraction,
      gasUsedRatio: z.string(),
      UsdPrice: wire.decimalFraction.optional(),
    }),
    example: {},
    async handle(context) {
      const prices = await context.gasOracle(context);
      if (!prices) return failed("loading", GAS_NOT_ESTIMATED);
      const { price } = await fetchPrice(context, context.priceFeeds.usd, prices.head);
      return ok({
        LastBlock: String(prices.head.number),
        SafeGasPrice: gwei(prices.safe),
        ProposeGasPrice: gwei(prices.proposed),
        FastGasPrice: gwei(prices.fast),
        suggestBaseFee: gwei(prices.nextBaseFee ?? 0n),
        gasUsedRatio: prices.blocks.slice(-RATIO_BLOCKS).map(ratio).join(","),
        ...(price !== null && { UsdPrice: price }),
      });
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
