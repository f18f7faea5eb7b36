import { z } from "zod";
import { getDailyFees } from "../../../store/daily-statistics.ts";
import { defineAction } from "../../action.ts";
import { ok } from "../../envelope.ts";
import { utcDay } from "../../params.ts";
import * as wire from "../../wire.ts";

export const totalfees = defineAction({
  name: "totalfees",
  summary: "Fees that the transactions of a UTC day paid, in wei; null for a day without blocks",
  envelope: "explorer",
  params: z.object({
    date: utcDay({
      required: "Required date input is missing.",
      invalid: "An incorrect input date provided. It should be in ISO 8601 format (yyyy-mm-dd).",
    }),
  }),
  result: wire.decimal.nullable(),
  example: { date: "2025-07-01" },
  async handle({ sql }, { date }) {
    const fees = await getDailyFees(sql, date);
    return ok(fees ?? null);
  },
});
