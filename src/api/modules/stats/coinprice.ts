import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { fetchCoinPrices } from "./prices.ts";

export const coinprice = defineAction({
  name: "coinprice",
  summary: "Price of the coin, in Blockscout's field names",
  envelope: "explorer",
  params: z.object({}),
  result: z.object({
    coin_btc: wire.decimalFraction.nullable(),
    coin_btc_timestamp: wire.decimal.nullable(),
    coin_usd: wire.decimalFraction.nullable(),
    coin_usd_timestamp: wire.decimal.nullable(),
  }),
  example: {},
  async handle(context) {
    const { btc, usd } = await fetchCoinPrices(context);
    return ok({
      coin_btc: btc.price,
      coin_btc_timestamp: btc.timestamp,
      coin_usd: usd.price,
      coin_usd_timestamp: usd.timestamp,
    });
  },
});
