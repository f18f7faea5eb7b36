import { z } from "zod";
import { average, defineDailySeries } from "./daily-series.ts";

export const dailyavgblocksize = defineDailySeries({
  name: "dailyavgblocksize",
  summary: "Average size of the blocks of a UTC day, in bytes",
  fields: { blockSize_bytes: z.number() },
  present: ({ blockBytes, blockCount }) => ({
    blockSize_bytes: Number(average(blockBytes, blockCount)),
  }),
});
