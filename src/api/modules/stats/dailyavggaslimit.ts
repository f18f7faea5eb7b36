import * as wire from "../../wire.ts";
import { average, defineDailySeries } from "./daily-series.ts";

export const dailyavggaslimit = defineDailySeries({
  name: "dailyavggaslimit",
  summary: "Average gas limit of the blocks of a UTC day",
  fields: { gasLimit: wire.decimal },
  present: ({ gasLimit, blockCount }) => ({ gasLimit: average(gasLimit, blockCount) }),
});
