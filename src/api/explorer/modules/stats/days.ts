import { z } from "zod";
import { divideRounded, formatRounded, formatUnits } from "../../../../core/decimal.ts";
import { utcDay as formatUtcDay, SECONDS_PER_DAY } from "../../../../core/time.ts";
import {
  type DailyStatistics,
  getDailyFees,
  getLastDayWithoutL1Fees,
  listDailyStatistics,
} from "../../../../store/state/daily-statistics.ts";
import { type Context, defineAction } from "../../action.ts";
import { failed, L1_FEES_UNREAD, NO_RECORDS, ok } from "../../envelope.ts";
import { listMissing, sort, utcDay } from "../../params.ts";
import { inclusionReward } from "../../present/block.ts";
import * as wire from "../../wire.ts";

const totalfees = defineAction({
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

/** The actions about days, in the order of the documentation. */
export const days = [
  totalfees,
  defineDailySeries({
    name: "dailytx",
    summary: "Transactions per UTC day",
    fields: { transactionCount: z.number() },
    present: ({ transactionCount }) => ({ transactionCount }),
  }),
  defineDailySeries({
    name: "dailynewaddress",
    summary: "Addresses first seen per UTC day",
    fields: { newAddressCount: z.number() },
    present: ({ newAddresses }) => ({ newAddressCount: newAddresses }),
  }),
  defineDailySeries({
    name: "dailytxnfee",
    summary: "Fees paid per UTC day, L1 fees of rollups included, in coins",
    hasFees: true,
    fields: { transactionFee_Eth: wire.decimalFraction },
    present: ({ fees }) => ({ transactionFee_Eth: formatUnits(fees, 18) }),
  }),
  defineDailySeries({
    name: "dailygasused",
    summary: "Gas used per UTC day",
    fields: { gasUsed: wire.decimal },
    present: ({ gasUsed }) => ({ gasUsed }),
  }),
  defineDailySeries({
    name: "dailyavggaslimit",
    summary: "Average gas limit of the blocks of a UTC day",
    fields: { gasLimit: wire.decimal },
    present: ({ gasLimit, blockCount }) => ({ gasLimit: average(gasLimit, blockCount) }),
  }),
  defineDailySeries({
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
  }),
  defineDailySeries({
    name: "dailynetutilization",
    summary: "Share of the gas limit used per UTC day",
    fields: { networkUtilization: wire.decimalFraction },
    present: ({ gasUsed, gasLimit }) => ({
      networkUtilization: ratio(BigInt(gasUsed), BigInt(gasLimit), 4),
    }),
  }),
  defineDailySeries({
    name: "dailyavgblocksize",
    summary: "Average size of the blocks of a UTC day, in bytes",
    fields: { blockSize_bytes: z.number() },
    present: ({ blockBytes, blockCount }) => ({
      blockSize_bytes: Number(average(blockBytes, blockCount)),
    }),
  }),
  defineDailySeries({
    name: "dailyavgblocktime",
    summary: "Average time between the blocks of a UTC day, in seconds",
    fields: { blockTime_sec: wire.decimalFraction },
    present: ({ firstTimestamp, lastTimestamp, blockCount }) => ({
      blockTime_sec: ratio(BigInt(lastTimestamp - firstTimestamp), BigInt(blockCount - 1), 2),
    }),
  }),
  defineDailySeries({
    name: "dailyblkcount",
    summary: "Blocks per UTC day and their rewards in coins",
    fields: { blockCount: z.number(), blockRewards_Eth: wire.decimalFraction },
    present: (day, context) => ({
      blockCount: day.blockCount,
      blockRewards_Eth: sumRewards(day, context),
    }),
  }),
  defineDailySeries({
    name: "dailyblockrewards",
    summary: "Rewards of the blocks of a UTC day, in coins",
    fields: { blockRewards_Eth: wire.decimalFraction },
    present: (day, context) => ({ blockRewards_Eth: sumRewards(day, context) }),
  }),
  defineDailySeries({
    name: "dailyuncleblkcount",
    summary: "Uncles that the blocks of a UTC day include, and their rewards",
    fields: { uncleBlockCount: z.number(), uncleBlockRewards_Eth: wire.decimalFraction },
    present: ({ uncleCount, uncleEighths }, { staticReward }) => ({
      uncleBlockCount: uncleCount,
      uncleBlockRewards_Eth: formatUnits((staticReward * BigInt(uncleEighths)) / 8n, 18),
    }),
  }),
];

/** Declares an action with one record per UTC day that has blocks; `present` computes the `fields` beside the day. */
function defineDailySeries(series: {
  name: string;
  summary: string;
  /** A record is refused while L1 fees of its day are unknown. */
  hasFees?: boolean;
  fields: Readonly<Record<string, z.ZodType>>;
  present(day: DailyStatistics, context: Context): Record<string, string | number>;
}) {
  const { name, summary, hasFees = false, fields, present } = series;
  return defineAction({
    name,
    summary,
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
      const { days, unread } = await context.read(async (sql, served) => ({
        days: await listDailyStatistics(sql, { from: startdate, to: enddate }, order),
        unread: hasFees
          ? await getLastDayWithoutL1Fees(sql, await served)
          : Number.NEGATIVE_INFINITY,
      }));
      if (days.some(({ day }) => day <= unread)) return failed("loading", L1_FEES_UNREAD);
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

/** Returns the whole part of a quotient as decimal text; 0 for a divisor of 0. */
function average(sum: string, count: number): string {
  return count === 0 ? "0" : String(BigInt(sum) / BigInt(count));
}

/** Returns the quotient rounded half up to `places` decimal places, as decimal text; 0 for a divisor of 0. */
function ratio(value: bigint, divisor: bigint, places: number): string {
  const scaled = divisor === 0n ? 0n : divideRounded(value * 10n ** BigInt(places), divisor);
  return formatRounded(scaled, places, places);
}

/** Returns the day's block rewards in coins: fees kept and static rewards, uncles included. */
function sumRewards(
  { rewards, blockCount, uncleCount }: DailyStatistics,
  { staticReward }: Context,
): string {
  const fixed = BigInt(blockCount) * staticReward + inclusionReward(uncleCount, staticReward);
  return formatUnits(BigInt(rewards) + fixed, 18);
}
