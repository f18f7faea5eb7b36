import * as wire from "../../wire.ts";
import { defineDailySeries, ratio } from "./daily-series.ts";

export const dailynetutilization = defineDailySeries({
  name: "dailynetutilization",
  summary: "Share of the gas limit used per UTC day",
  fields: { networkUtilization: wire.decimalFraction },
  present: ({ gasUsed, gasLimit }) => ({
    networkUtilization: ratio(BigInt(gasUsed), BigInt(gasLimit), 4),
  }),
});
