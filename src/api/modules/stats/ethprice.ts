import { z } from "zod";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import * as wire from "../../wire.ts";
import { fetchCoinPrices } from "./prices.ts";

export const ethprice = defineAction({
  name: "ethprice",
  summary: "Price of the coin in bitcoin and US dollars, from aggregators on chain",
  envelope: "explorer",
  params: z.object({}),
  result: z.object({
    ethbtc: wire.decimalFraction.nullable(),
    ethbtc_timestamp: wire.decimal.nullable(),
    ethusd: wire.decimalFraction.nullable(),
    ethusd_timestamp: wire.decimal.nullable(),
  }),
  example: {},
  async handle(context) {
    const { btc, usd } = await fetchCoinPrices(context);
    return ok({
      ethbtc: btc.price,
      ethbtc_timestamp: btc.timestamp,
      ethusd: usd.price,
      ethusd_timestamp: usd.timestamp,
    });
  },
});
