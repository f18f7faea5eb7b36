import * as wire from "../../wire.ts";
import { defineDailySeries, ratio } from "./daily-series.ts";

export const dailynetutilization = defineDailySeries({
  name: "dailynetutilization",
  summary: "Gas used per UTC day as a part of the gas limit",
  fields: { networkUtilization: wire.decimalFraction },
  present: ({ gasUsed, gasLimit }) => ({
    networkUtilization: ratio(BigInt(gasUsed), BigInt(gasLimit), 4),
  }),
});
