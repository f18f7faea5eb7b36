import { z } from "zod";
import { defineAction } from "../../action.ts";
import { failed, ok } from "../../envelope.ts";
import { GAS_NOT_ESTIMATED } from "../../gas/prices.ts";
import { estimateSeconds } from "../../gas/waiting.ts";
import { text } from "../../params.ts";
import * as wire from "../../wire.ts";

/** Two Gwei, as at Etherscan. */
const STANDARD_PRICE = 2_000_000_000n;
const INVALID = "Invalid gasprice format";

export const gasestimate = defineAction({
  name: "gasestimate",
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
});
