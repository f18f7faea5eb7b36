import { z } from "zod";
import * as wire from "../../wire.ts";
import { defineDailySeries } from "./daily-series.ts";

export const dailyuncleblkcount = defineDailySeries({
  name: "dailyuncleblkcount",
  summary: "Uncle blocks per UTC day: none",
  fields: { uncleBlockCount: z.number(), uncleBlockRewards_Eth: wire.decimalFraction },
  present: () => ({ uncleBlockCount: 0, uncleBlockRewards_Eth: "0" }),
});
