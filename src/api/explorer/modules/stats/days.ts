import { formatUnits } from "viem/utils";
import { z } from "zod";
import { divideRounded, formatRounded } from "../../../../core/decimal.ts";
import { utcDay as formatUtcDay, SECONDS_PER_DAY } from "../../../../core/time.ts";
import {
  type DailyStatistics,
  getDailyFees,
  getLastDayWithoutL1Fees,
  listDailyStatistics,
} from "../../../../store/state/daily-statistics.ts";
import { defineAction } from "../../action.ts";
import { failed, L1_FEES_UNREAD, NO_RECORDS, ok } from "../../envelope.ts";
import { listMissing, sort, utcDay } from "../../params.ts";
import { inclusionReward } from "../../present/block.ts";
import * as wire from "../../wire.ts";

type Day = DailyStatistics & { staticReward: bigint };

/** The actions about days, in the order of the documentation. */
export const days = {
  totalfees: defineAction({
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
  }),
  dailytx: defineDailySeries("Transactions per UTC day", {
    transactionCount: [z.number(), (day) => day.transactionCount],
  }),
  dailynewaddress: defineDailySeries("Addresses first seen per UTC day", {
    newAddressCount: [z.number(), (day) => day.newAddresses],
  }),
  dailytxnfee: defineDailySeries(
    "Fees paid per UTC day, L1 fees of rollups included, in coins",
    { transactionFee_Eth: [wire.decimalFraction, ({ fees }) => formatUnits(BigInt(fees), 18)] },
    { hasFees: true },
  ),
  dailygasused: defineDailySeries("Gas used per UTC day", {
    gasUsed: [wire.decimal, (day) => day.gasUsed],
  }),
  dailyavggaslimit: defineDailySeries("Average gas limit of the blocks of a UTC day", {
    gasLimit: [wire.decimal, (day) => average(day.gasLimit, day.blockCount)],
  }),
  dailyavggasprice: defineDailySeries(
    "Highest, lowest and average gas price of the transactions of a UTC day, in wei",
    {
      maxGasPrice_Wei: [wire.decimal, (day) => day.gasPriceMaximum ?? "0"],
      minGasPrice_Wei: [wire.decimal, (day) => day.gasPriceMinimum ?? "0"],
      avgGasPrice_Wei: [wire.decimal, (day) => average(day.gasPriceSum, day.transactionCount)],
    },
  ),
  dailynetutilization: defineDailySeries("Share of the gas limit used per UTC day", {
    networkUtilization: [
      wire.decimalFraction,
      ({ gasUsed, gasLimit }) => ratio(BigInt(gasUsed), BigInt(gasLimit), 4),
    ],
  }),
  dailyavgblocksize: defineDailySeries("Average size of the blocks of a UTC day, in bytes", {
    blockSize_bytes: [z.number(), (day) => Number(average(day.blockBytes, day.blockCount))],
  }),
  dailyavgblocktime: defineDailySeries("Average time between the blocks of a UTC day, in seconds", {
    blockTime_sec: [
      wire.decimalFraction,
      ({ firstTimestamp, lastTimestamp, blockCount }) =>
        ratio(BigInt(lastTimestamp - firstTimestamp), BigInt(blockCount - 1), 2),
    ],
  }),
  dailyblkcount: defineDailySeries("Blocks per UTC day and their rewards in coins", {
    blockCount: [z.number(), (day) => day.blockCount],
    blockRewards_Eth: [wire.decimalFraction, sumRewards],
  }),
  dailyblockrewards: defineDailySeries("Rewards of the blocks of a UTC day, in coins", {
    blockRewards_Eth: [wire.decimalFraction, sumRewards],
  }),
  dailyuncleblkcount: defineDailySeries(
    "Uncles that the blocks of a UTC day include, and their rewards",
    {
      uncleBlockCount: [z.number(), (day) => day.uncleCount],
      uncleBlockRewards_Eth: [
        wire.decimalFraction,
        ({ staticReward, uncleEighths }) =>
          formatUnits((staticReward * BigInt(uncleEighths)) / 8n, 18),
      ],
    },
  ),
};

/** Declares an action with one record per UTC day that has blocks. `hasFees`: it is refused while L1 fees of a day are unknown. */
function defineDailySeries<Shape extends z.ZodRawShape>(
  summary: string,
  fields: wire.Fields<Day, Shape>,
  { hasFees = false } = {},
) {
  const record = wire.defineRecord<Day>()({
    UTCDate: [z.iso.date(), ({ day }) => formatUtcDay(day * SECONDS_PER_DAY)],
    unixTimeStamp: [wire.decimal, ({ day }) => String(day * SECONDS_PER_DAY)],
    ...(fields as wire.Fields<Day, z.ZodRawShape>),
  });
  return defineAction({
    summary,
    params: z.object({
      startdate: utcDay({ invalid: "Invalid startdate format" }).describe(
        "First day in UTC, included",
      ),
      enddate: utcDay({ invalid: "Invalid enddate format" }).describe("Last day in UTC, included"),
      sort,
    }),
    missing: listMissing,
    result: z.array(record.schema),
    empty: NO_RECORDS,
    example: { startdate: "2020-01-01", enddate: "2099-12-31" },
    async handle({ read, staticReward }, { startdate, enddate, sort: order = "asc" }) {
      const { days, unread } = await read(async (sql, served) => ({
        days: await listDailyStatistics(sql, { from: startdate, to: enddate }, order),
        unread: hasFees
          ? await getLastDayWithoutL1Fees(sql, await served)
          : Number.NEGATIVE_INFINITY,
      }));
      if (days.some(({ day }) => day <= unread)) return failed("loading", L1_FEES_UNREAD);
      return ok(days.map((day) => record.present({ ...day, staticReward })));
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
function sumRewards({ rewards, blockCount, uncleCount, staticReward }: Day): string {
  const fixed = BigInt(blockCount) * staticReward + inclusionReward(uncleCount, staticReward);
  return formatUnits(BigInt(rewards) + fixed, 18);
}
