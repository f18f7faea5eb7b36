import { z } from "zod";
import { utcDay as formatUtcDay } from "../../../../core/time.ts";
import { getDailyFees, getLastDayWithoutL1Fees } from "../../../../store/state/daily-statistics.ts";
import { defineAction } from "../../action.ts";
import { failed, L1_FEES_UNREAD, ok } from "../../envelope.ts";
import { utcDay } from "../../params.ts";
import * as wire from "../../wire.ts";

export const totalfees = defineAction({
  name: "totalfees",
  summary:
    "Fees that the transactions of a UTC day paid, L1 fees of rollups included, in wei; null for a day without blocks",
  params: z.object({
    date: utcDay({
      required: "Required date input is missing.",
      invalid: "An incorrect input date provided. It should be in ISO 8601 format (yyyy-mm-dd).",
    }),
  }),
  result: wire.decimal.nullable(),
  // The sample chain begins at its first start.
  example: { date: formatUtcDay(Date.now() / 1000) },
  async handle({ read }, { date }) {
    const { fees, unread } = await read(async (sql, served) => ({
      fees: await getDailyFees(sql, date),
      unread: await getLastDayWithoutL1Fees(sql, await served),
    }));
    return date <= unread ? failed("loading", L1_FEES_UNREAD) : ok(fees ?? null);
  },
});
