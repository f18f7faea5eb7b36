import { z } from "zod";
import { clockTime, SECONDS_PER_DAY } from "../../../core/time.ts";
import { defineAction } from "../action.ts";
import { ok } from "../envelope.ts";
import * as wire from "../wire.ts";

/** A limit that clients recognise; they treat any other as the lowest. */
const UNLIMITED = 1_500_000;

type Credits = { used: number; limit: number; interval: "minute" | "daily"; seconds: number };
const credits = wire.defineRecord<Credits>()({
  creditsUsed: [z.int(), ({ used }) => used],
  creditsAvailable: [z.int(), ({ limit, used }) => limit - used],
  creditLimit: [z.int(), ({ limit }) => limit],
  limitInterval: [z.enum(["minute", "daily"]), ({ interval }) => interval],
  intervalExpiryTimespan: [z.string().regex(/^\d\d:\d\d:\d\d$/), (row) => clockTime(row.seconds)],
});

export const getapilimit = defineAction({
  summary: "How much of its rate limit the client has used",
  dialect: "etherscan",
  ofNoChain: true,
  params: z.object({}),
  result: credits.schema,
  example: {},
  async handle({ usageOf, client }) {
    const usage = usageOf(client);
    if (usage) {
      const { requests, limit, resetMs } = usage;
      const seconds = Math.ceil(resetMs / 1000);
      return ok(credits.present({ used: requests, limit, interval: "minute", seconds }));
    }
    const seconds = SECONDS_PER_DAY - (Math.floor(Date.now() / 1000) % SECONDS_PER_DAY);
    return ok(credits.present({ used: 0, limit: UNLIMITED, interval: "daily", seconds }));
  },
});
