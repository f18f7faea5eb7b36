import { z } from "zod";
import { clockTime, SECONDS_PER_DAY } from "../../../core/time.ts";
import { defineAction } from "../action.ts";
import { ok } from "../envelope.ts";

/** A limit that clients recognise; they treat any other as the lowest. */
const UNLIMITED = 1_500_000;

export const getapilimit = defineAction({
  summary: "How much of its rate limit the client has used",
  dialect: "etherscan",
  ofNoChain: true,
  params: z.object({}),
  result: z.object({
    creditsUsed: z.int(),
    creditsAvailable: z.int(),
    creditLimit: z.int(),
    limitInterval: z.enum(["minute", "daily"]),
    intervalExpiryTimespan: z.string().regex(/^\d\d:\d\d:\d\d$/),
  }),
  example: {},
  async handle({ usageOf, client }) {
    const usage = usageOf(client);
    if (usage) {
      const { requests, limit, resetMs } = usage;
      return ok(report(requests, limit, "minute", Math.ceil(resetMs / 1000)));
    }
    const secondOfDay = Math.floor(Date.now() / 1000) % SECONDS_PER_DAY;
    return ok(report(0, UNLIMITED, "daily", SECONDS_PER_DAY - secondOfDay));
  },
});

function report(used: number, limit: number, interval: "minute" | "daily", seconds: number) {
  return {
    creditsUsed: used,
    creditsAvailable: limit - used,
    creditLimit: limit,
    limitInterval: interval,
    intervalExpiryTimespan: clockTime(seconds),
  };
}
