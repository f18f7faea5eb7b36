import { z } from "zod";
import { divideRounded, formatRounded, formatUnits } from "../../../core/decimal.ts";
import { utcDay as formatUtcDay, SECONDS_PER_DAY } from "../../../core/time.ts";
import { type DailyStatistics, listDailyStatistics } from "../../../store/daily-statistics.ts";
import { type Context, defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { listMissing, sort, utcDay } from "../../params.ts";
import { inclusionReward } from "../../present/uncle.ts";
import * as wire from "../../wire.ts";

/**
 * Declares an action with one record per UTC day that has blocks. `fields` are those of a record besides its day;
 * `present` computes them.
 */
export function defineDailySeries(series: {
  name: string;
  summary: string;
  fields: Readonly<Record<string, z.ZodType>>;
  present(day: DailyStatistics, context: Context): Record<string, string | number>;
}) {
  const { name, summary, fields, present } = series;
  return defineAction({
    name,
    summary,
    envelope: "explorer",
    params: z.object({
      startdate: utcDay({ invalid: "Invalid startdate format" }).describe(
        "First day in UTC, included",
      ),
      enddate: utcDay({ invalid: "Invalid enddate format" }).describe("Last day in UTC, included"),
      sort,
    }),
    missing: listMissing,
    result: z.array(
      z.object({ UTCDate: z.iso.date(), unixTimeStamp: wire.decimal }).extend(fields),
    ),
    empty: NO_RECORDS,
    example: { startdate: "2020-01-01", enddate: "2099-12-31" },
    async handle(context, { startdate, enddate, sort: order = "asc" }) {
      const days = await context.read((sql) =>
        listDailyStatistics(sql, { from: startdate, to: enddate }, order),
      );
      const records = days.map((day) => {
        const midnight = day.day * SECONDS_PER_DAY;
        return {
          UTCDate: formatUtcDay(midnight),
          unixTimeStamp: String(midnight),
          ...present(day, context),
        };
      });
      return ok(records);
    },
  });
}

/** Whole part of a quotient as decimal text; 0 where there is nothing to divide by. */
export function average(sum: string, count: number): string {
  return count === 0 ? "0" : String(BigInt(sum) / BigInt(count));
}

/** Quotient rounded half up to `places` decimal places, as decimal text; 0 where there is nothing to divide by. */
export function ratio(value: bigint, divisor: bigint, places: number): string {
  const scaled = divisor === 0n ? 0n : divideRounded(value * 10n ** BigInt(places), divisor);
  return formatRounded(scaled, places, places);
}

/**
 * Rewards of the day's blocks in coins: the fees that they keep and their static rewards, those for uncles included.
 */
export function rewardsOf(
  { rewards, blockCount, uncleCount }: DailyStatistics,
  { staticReward }: Context,
): string {
  const fixed = BigInt(blockCount) * staticReward + inclusionReward(uncleCount, staticReward);
  return formatUnits(BigInt(rewards) + fixed, 18);
}
