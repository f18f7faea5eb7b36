import { z } from "zod";
import { defineDailySeries } from "./daily-series.ts";

export const dailytx = defineDailySeries({
  name: "dailytx",
  summary: "Transactions per UTC day",
  fields: { transactionCount: z.number() },
  present: ({ transactionCount }) => ({ transactionCount }),
});
