import * as wire from "../../wire.ts";
import { defineDailySeries } from "./daily-series.ts";

export const dailygasused = defineDailySeries({
  name: "dailygasused",
  summary: "Gas used per UTC day",
  fields: { gasUsed: wire.decimal },
  present: ({ gasUsed }) => ({ gasUsed }),
});
