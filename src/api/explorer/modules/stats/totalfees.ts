import { z } from "zod";
import { utcDay as formatUtcDay } from "../../../../core/time.ts";
import { getDailyFees } from "../../../../store/state/daily-statistics.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { utcDay } from "../../params.ts";
import * as wire from "../../wire.ts";

export const totalfees = defineAction({
  name: "totalfees",
  summary: "Fees that the transactions of a UTC day paid, in wei; null for a day without blocks",
  params: z.object({
    date: utcDay({
      required: "Required date input is missing.",
      invalid: "An incorrect input date provided. It should be in ISO 8601 format (yyyy-mm-dd).",
    }),
  }),
  result: wire.decimal.nullable(),
  // The sample chain begins when it is first started.
  example: { date: formatUtcDay(Date.now() / 1000) },
  async handle({ read }, { date }) {
    const fees = await read((sql) => getDailyFees(sql, date));
    return ok(fees ?? null);
  },
});
