import { z } from "zod";
import { formatUnits } from "../../../core/decimal.ts";
import * as wire from "../../wire.ts";
import { defineDailySeries } from "./daily-series.ts";

export const dailyuncleblkcount = defineDailySeries({
  name: "dailyuncleblkcount",
  summary: "Uncles that the blocks of a UTC day include, and their rewards",
  fields: { uncleBlockCount: z.number(), uncleBlockRewards_Eth: wire.decimalFraction },
  present: ({ uncleCount, uncleEighths }, { staticReward }) => ({
    uncleBlockCount: uncleCount,
    uncleBlockRewards_Eth: formatUnits((staticReward * BigInt(uncleEighths)) / 8n, 18),
  }),
});
