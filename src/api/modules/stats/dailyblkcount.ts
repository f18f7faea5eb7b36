import { z } from "zod";
import * as wire from "../../wire.ts";
import { defineDailySeries, rewardsOf } from "./daily-series.ts";

export const dailyblkcount = defineDailySeries({
  name: "dailyblkcount",
  summary: "Blocks per UTC day and their rewards in coins",
  fields: { blockCount: z.number(), blockRewards_Eth: wire.decimalFraction },
  present: (day, context) => ({
    blockCount: day.blockCount,
    blockRewards_Eth: rewardsOf(day, context),
  }),
});
