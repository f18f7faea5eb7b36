import * as wire from "../../wire.ts";
import { defineDailySeries, ratio } from "./daily-series.ts";

export const dailyavgblocktime = defineDailySeries({
  name: "dailyavgblocktime",
  summary: "Average time between the blocks of a UTC day, in seconds",
  fields: { blockTime_sec: wire.decimalFraction },
  present: ({ firstTimestamp, lastTimestamp, blockCount }) => ({
    blockTime_sec: ratio(BigInt(lastTimestamp - firstTimestamp), BigInt(blockCount - 1), 2),
  }),
});
