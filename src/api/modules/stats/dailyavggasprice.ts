import * as wire from "../../wire.ts";
import { average, defineDailySeries } from "./daily-series.ts";

export const dailyavggasprice = defineDailySeries({
  name: "dailyavggasprice",
  summary: "Highest, lowest and average gas price of the transactions of a UTC day, in wei",
  fields: {
    maxGasPrice_Wei: wire.decimal,
    minGasPrice_Wei: wire.decimal,
    avgGasPrice_Wei: wire.decimal,
  },
  present: (day) => ({
    maxGasPrice_Wei: day.gasPriceMaximum ?? "0",
    minGasPrice_Wei: day.gasPriceMinimum ?? "0",
    avgGasPrice_Wei: average(day.gasPriceSum, day.transactionCount),
  }),
});
