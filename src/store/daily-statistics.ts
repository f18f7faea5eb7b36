import type { Fragment, Queryable, Transaction } from "../db/client.ts";
import type { BlockRange } from "./chain.ts";
import { direction, type Order } from "./page.ts";

/** The end of the year 9999. Later times, which only a development chain has, count to its last day. */
const LAST_SECOND = 253_402_300_799;

/** The UTC day of a unix time. */
function dayOf(sql: Queryable, seconds: Fragment | number): Fragment {
  return sql`(to_timestamp(least(${seconds}, ${LAST_SECOND}::bigint)) AT TIME ZONE 'UTC')::date`;
}

/**
 * Undoes `applyDailyStatistics` for a range at the end of the chain: deletes the days from its first block on. Runs
 * before the rows of the blocks are deleted and after `revertAddresses`. The returned function, which runs afterwards,
 * counts the blocks that are left of those days.
 */
export async function revertDailyStatistics(
  sql: Transaction,
  { from }: BlockRange,
): Promise<() => Promise<void>> {
  const [first] = await sql<{ number: number | null }[]>`
    WITH day AS (SELECT ${dayOf(sql, sql`timestamp`)} AS day FROM blocks WHERE number = ${from}),
      gone AS (DELETE FROM daily_statistics USING day WHERE daily_statistics.day >= day.day)
    SELECT min(number) AS number FROM blocks, day
    WHERE timestamp >= extract(epoch FROM day.day::timestamp AT TIME ZONE 'UTC')::bigint
      AND number < ${from}`;
  return async () => {
    if (typeof first?.number === "number")
      await applyDailyStatistics(sql, { from: first.number, to: from - 1 });
  };
}

/**
 * Adds the recorded blocks of a range to the statistics of their UTC days. Comes after `applyAddresses` for the range.
 */
export async function applyDailyStatistics(
  sql: Transaction,
  { from, to }: BlockRange,
): Promise<void> {
  await sql`
    INSERT INTO daily_statistics AS known (
      day, block_count, first_timestamp, last_timestamp, transaction_count, fees, rewards,
      burnt_fees, gas_used, gas_limit, block_bytes, gas_price_minimum, gas_price_maximum,
      gas_price_sum, withdrawn_gwei, new_addresses,
      uncle_count, uncle_eighths)
    SELECT ${dayOf(sql, sql`timestamp`)}, count(*), min(timestamp), max(timestamp),
      sum(transaction_count), sum(fees), sum(reward), sum(fees - reward), sum(gas_used), sum(gas_limit),
      sum(size), min(prices.minimum), max(prices.maximum), coalesce(sum(prices.total), 0),
      coalesce(sum(withdrawn.gwei), 0), sum(newcomers.count),
      sum(nephews.uncles), coalesce(sum(nephews.eighths), 0)
    FROM blocks
    CROSS JOIN LATERAL (
      SELECT min(gas_price) AS minimum, max(gas_price) AS maximum, sum(gas_price) AS total
      FROM transactions WHERE block_number = number
    ) AS prices
    CROSS JOIN LATERAL (
      SELECT sum(amount) AS gwei FROM withdrawals WHERE block_number = number
    ) AS withdrawn
    CROSS JOIN LATERAL (
      SELECT count(*) FROM addresses WHERE first_block = number
    ) AS newcomers
    CROSS JOIN LATERAL (
      SELECT count(*) AS uncles, sum(8 - (blocks.number - uncles.number)) AS eighths
      FROM uncles WHERE block_number = blocks.number
    ) AS nephews
    WHERE number BETWEEN ${from} AND ${to}
    GROUP BY 1
    ON CONFLICT (day) DO UPDATE SET
      block_count = known.block_count + excluded.block_count,
      first_timestamp = least(known.first_timestamp, excluded.first_timestamp),
      last_timestamp = greatest(known.last_timestamp, excluded.last_timestamp),
      transaction_count = known.transaction_count + excluded.transaction_count,
      fees = known.fees + excluded.fees,
      rewards = known.rewards + excluded.rewards,
      burnt_fees = known.burnt_fees + excluded.burnt_fees,
      gas_used = known.gas_used + excluded.gas_used,
      gas_limit = known.gas_limit + excluded.gas_limit,
      block_bytes = known.block_bytes + excluded.block_bytes,
      gas_price_minimum = least(known.gas_price_minimum, excluded.gas_price_minimum),
      gas_price_maximum = greatest(known.gas_price_maximum, excluded.gas_price_maximum),
      gas_price_sum = known.gas_price_sum + excluded.gas_price_sum,
      withdrawn_gwei = known.withdrawn_gwei + excluded.withdrawn_gwei,
      new_addresses = known.new_addresses + excluded.new_addresses,
      uncle_count = known.uncle_count + excluded.uncle_count,
      uncle_eighths = known.uncle_eighths + excluded.uncle_eighths`;
}

/** Figures of one UTC day; amounts in wei unless the name tells otherwise. */
export interface DailyStatistics {
  /** Days since 1970-01-01. */
  day: number;
  blockCount: number;
  firstTimestamp: number;
  lastTimestamp: number;
  transactionCount: number;
  fees: string;
  /** The part of the fees that the fee recipients kept. */
  rewards: string;
  gasUsed: string;
  gasLimit: string;
  blockBytes: string;
  /** Null on a day without transactions. */
  gasPriceMinimum: string | null;
  gasPriceMaximum: string | null;
  /** Sum over the transactions. */
  gasPriceSum: string;
  newAddresses: number;
  /** Uncles that the day's blocks include, and their rewards in eighths of a block's. */
  uncleCount: number;
  uncleEighths: number;
}

/** Sums over all days. */
export interface TotalStatistics {
  burntFees: string;
  withdrawnGwei: string;
}

/** Days that have blocks, between two days, both inclusive, counted from 1970-01-01. */
export async function listDailyStatistics(
  sql: Queryable,
  days: { from: number; to: number },
  order: Order,
): Promise<DailyStatistics[]> {
  return sql<DailyStatistics[]>`
    SELECT day - '1970-01-01'::date AS day, block_count,
      first_timestamp, last_timestamp,
      transaction_count, fees, rewards, gas_used,
      gas_limit, block_bytes, gas_price_minimum,
      gas_price_maximum, gas_price_sum,
      new_addresses, uncle_count, uncle_eighths
    FROM daily_statistics
    WHERE day >= '1970-01-01'::date + ${days.from}::int AND day <= '1970-01-01'::date + ${days.to}::int
    ORDER BY daily_statistics.day ${direction(sql, order)}`;
}

/** Fees of a day in wei, the day counted from 1970-01-01; undefined when it has no blocks. */
export async function getDailyFees(sql: Queryable, day: number): Promise<string | undefined> {
  const [row] = await sql<{ fees: string }[]>`
    SELECT fees FROM daily_statistics WHERE day = '1970-01-01'::date + ${day}::int`;
  return row?.fees;
}

/** The sums over all days. */
export async function getTotalStatistics(sql: Queryable): Promise<TotalStatistics> {
  const [totals] = await sql<[TotalStatistics]>`
    SELECT coalesce(sum(burnt_fees), 0) AS burnt_fees, coalesce(sum(withdrawn_gwei), 0) AS withdrawn_gwei
    FROM daily_statistics`;
  return totals;
}
