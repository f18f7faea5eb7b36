import { type Fragment, firstValue, type Queryable, type Transaction } from "../../db/client.ts";
import { direction, type Order } from "../lists/page.ts";
import type { ServedHead } from "../sync-state.ts";
import { type BlockRange, inRange } from "../writer/chain.ts";

/** The end of the year 9999: later times, only of development chains, count to its last day. */
const LAST_SECOND = 253_402_300_799;

/** Returns the UTC day of a unix time, as SQL. */
export function dayOf(sql: Queryable, seconds: Fragment | number): Fragment {
  return sql`(to_timestamp(least(${seconds}, ${LAST_SECOND}::bigint)) AT TIME ZONE 'UTC')::date`;
}

/** Returns the additions of a range's recorded blocks to the statistics of their UTC days, in the order of the table's columns. */
function additions(sql: Queryable, range: BlockRange): Fragment {
  return sql`
    WITH paid AS MATERIALIZED (
      SELECT block_number, min(gas_price) AS minimum, max(gas_price) AS maximum, sum(gas_price) AS total,
        sum(withdrawn) AS withdrawn
      FROM (
        SELECT block_number, gas_price, NULL::numeric AS withdrawn FROM transactions WHERE ${inRange(sql, range)}
        UNION ALL
        SELECT block_number, NULL, amount FROM withdrawals WHERE ${inRange(sql, range)}
      ) AS amounts GROUP BY block_number
    )
    SELECT ${dayOf(sql, sql`timestamp`)} AS day, count(*) AS block_count,
      min(timestamp) AS first_timestamp, max(timestamp) AS last_timestamp,
      sum(transaction_count) AS transaction_count, sum(fees) AS fees, sum(reward) AS rewards,
      sum(fees - reward) AS burnt_fees, sum(gas_used) AS gas_used, sum(gas_limit) AS gas_limit,
      sum(size) AS block_bytes, min(paid.minimum) AS gas_price_minimum, max(paid.maximum) AS gas_price_maximum,
      coalesce(sum(paid.total), 0) AS gas_price_sum, coalesce(sum(paid.withdrawn), 0) AS withdrawn_gwei,
      sum(newcomers.count) AS new_addresses, sum(nephews.uncles) AS uncle_count,
      coalesce(sum(nephews.eighths), 0) AS uncle_eighths, coalesce(sum(blocks.l1_fees), 0) AS l1_fees
    FROM blocks
    LEFT JOIN paid ON paid.block_number = number
    CROSS JOIN LATERAL (
      SELECT count(*) FROM addresses WHERE first_block = number
    ) AS newcomers
    CROSS JOIN LATERAL (
      SELECT count(*) AS uncles, sum(8 - (blocks.number - uncles.number)) AS eighths
      FROM uncles WHERE block_number = blocks.number
    ) AS nephews
    WHERE ${inRange(sql, range, "number")}
    GROUP BY 1`;
}

/** Columns that are sums over the blocks of a day. */
const SUMS = [
  "block_count",
  "transaction_count",
  "fees",
  "rewards",
  "burnt_fees",
  "gas_used",
  "gas_limit",
  "block_bytes",
  "gas_price_sum",
  "withdrawn_gwei",
  "new_addresses",
  "uncle_count",
  "uncle_eighths",
  "l1_fees",
] as const;

/** Undoes `applyDailyStatistics` before the rows are deleted; lost extremes come from the day's remaining blocks. */
export async function revertDailyStatistics(sql: Transaction, range: BlockRange) {
  const left = (value: Fragment): Fragment => sql`(
    SELECT ${value} FROM blocks
    WHERE number < ${range.from} AND ${dayOf(sql, sql`timestamp`)} = known.day
      AND timestamp >= extract(epoch FROM known.day::timestamp AT TIME ZONE 'UTC')::bigint)`;
  const price = (extreme: Fragment, column: Fragment) => sql`
    ${extreme}(coalesce(${column}, (SELECT ${extreme}(gas_price) FROM transactions_of_block(number))))`;
  const sums = SUMS.map((name) => sql`${sql(name)} = known.${sql(name)} - gone.${sql(name)}`);
  await sql`
    WITH gone AS (${additions(sql, range)})
    UPDATE daily_statistics AS known SET ${sums.reduce((all, one) => sql`${all}, ${one}`)},
      first_timestamp = CASE WHEN gone.first_timestamp > known.first_timestamp THEN known.first_timestamp
        ELSE coalesce(${left(sql`min(timestamp)`)}, known.first_timestamp) END,
      last_timestamp = CASE WHEN gone.last_timestamp < known.last_timestamp THEN known.last_timestamp
        ELSE coalesce(${left(sql`max(timestamp)`)}, known.last_timestamp) END,
      gas_price_minimum = CASE WHEN gone.gas_price_minimum <= known.gas_price_minimum
        THEN ${left(price(sql`min`, sql`gas_price_minimum`))} ELSE known.gas_price_minimum END,
      gas_price_maximum = CASE WHEN gone.gas_price_maximum >= known.gas_price_maximum
        THEN ${left(price(sql`max`, sql`gas_price_maximum`))} ELSE known.gas_price_maximum END
    FROM gone WHERE known.day = gone.day`;
  await sql`DELETE FROM daily_statistics WHERE block_count = 0`;
  return undefined;
}

/** Adds the recorded blocks of a range to the statistics of their UTC days; after `applyAddresses` of the range. */
export async function applyDailyStatistics(sql: Transaction, range: BlockRange): Promise<void> {
  const sums = SUMS.map((name) => sql`${sql(name)} = known.${sql(name)} + excluded.${sql(name)}`);
  await sql`
    INSERT INTO daily_statistics AS known (
      day, block_count, first_timestamp, last_timestamp, transaction_count, fees, rewards,
      burnt_fees, gas_used, gas_limit, block_bytes, gas_price_minimum, gas_price_maximum,
      gas_price_sum, withdrawn_gwei, new_addresses, uncle_count, uncle_eighths, l1_fees)
    ${additions(sql, range)}
    ON CONFLICT (day) DO UPDATE SET ${sums.reduce((all, one) => sql`${all}, ${one}`)},
      first_timestamp = least(known.first_timestamp, excluded.first_timestamp),
      last_timestamp = greatest(known.last_timestamp, excluded.last_timestamp),
      gas_price_minimum = least(known.gas_price_minimum, excluded.gas_price_minimum),
      gas_price_maximum = greatest(known.gas_price_maximum, excluded.gas_price_maximum)`;
}

/** Figures of one UTC day; amounts in wei unless the name says otherwise. */
export interface DailyStatistics {
  /** Days since 1970-01-01. */
  day: number;
  blockCount: number;
  firstTimestamp: number;
  lastTimestamp: number;
  transactionCount: number;
  /** L1 fees included. */
  fees: string;
  /** The fee recipients' part of the fees. */
  rewards: string;
  gasUsed: string;
  gasLimit: string;
  blockBytes: string;
  gasPriceMinimum: string | null;
  gasPriceMaximum: string | null;
  /** Sum over the transactions. */
  gasPriceSum: string;
  newAddresses: number;
  /** Uncles in the day's blocks, and their rewards in eighths of a block's. */
  uncleCount: number;
  uncleEighths: number;
}

/** Sums over all days. */
export interface TotalStatistics {
  burntFees: string;
  withdrawnGwei: string;
}

/** Returns days with blocks, from one day to another inclusive; days are counted from 1970-01-01. */
export function listDailyStatistics(
  sql: Queryable,
  days: { from: number; to: number },
  order: Order,
) {
  return sql<DailyStatistics[]>`
    SELECT day - '1970-01-01'::date AS day, block_count,
      first_timestamp, last_timestamp,
      transaction_count, fees + l1_fees AS fees, rewards, gas_used,
      gas_limit, block_bytes, gas_price_minimum, gas_price_maximum, gas_price_sum, new_addresses,
      uncle_count, uncle_eighths
    FROM daily_statistics
    WHERE day >= '1970-01-01'::date + ${days.from}::int AND day <= '1970-01-01'::date + ${days.to}::int
    ORDER BY daily_statistics.day ${direction(sql, order)}`;
}

/** Returns the fees of a day in wei, the day counted from 1970-01-01; undefined when it has no blocks. */
export function getDailyFees(sql: Queryable, day: number) {
  return firstValue(sql<{ fees: string }[]>`
    SELECT fees + l1_fees AS fees FROM daily_statistics WHERE day = '1970-01-01'::date + ${day}::int`);
}

/** Returns the last day (from 1970-01-01) with unread L1 fees; -Infinity without. `served` is the snapshot's head. */
export async function getLastDayWithoutL1Fees(
  sql: Queryable,
  { l1FeesFrom }: Pick<ServedHead, "l1FeesFrom">,
): Promise<number> {
  if (l1FeesFrom === null) return Number.NEGATIVE_INFINITY;
  const day = await firstValue(sql<{ day: number }[]>`
    SELECT ${dayOf(sql, sql`timestamp`)} - '1970-01-01'::date AS day FROM blocks WHERE number = ${l1FeesFrom - 1}`);
  return day ?? Number.NEGATIVE_INFINITY;
}

/** Returns the burnt and withdrawn sums since the first block. */
export async function getTotalStatistics(sql: Queryable): Promise<TotalStatistics> {
  const [totals] = await sql<[TotalStatistics]>`
    SELECT coalesce(sum(burnt_fees), 0) AS burnt_fees, coalesce(sum(withdrawn_gwei), 0) AS withdrawn_gwei
    FROM daily_statistics`;
  return totals;
}
