import { firstRow, type Queryable, type Transaction } from "../../db/client.ts";
import { dayOf } from "../state/daily-statistics.ts";
import type { BlockRange } from "../writer/chain.ts";
import type { ChainRows } from "../writer/chain-tables.ts";
import { areIndexed } from "../writer/earlier-traces.ts";
import { placeText, type TransactionPlace } from "./address-places.ts";

/** Returns the L1 fee of a transaction as text: wei, "0" where its receipt has none, "" while it is unknown. */
export type L1FeeOf = (place: TransactionPlace) => string;

/** Reads the L1 fees of transactions in a separate query; undefined on a chain without L1 fees. */
export async function readL1Fees(
  sql: Queryable,
  places: readonly TransactionPlace[],
  l1FeesFrom: number | null,
): Promise<L1FeeOf | undefined> {
  if (l1FeesFrom === null) return undefined;
  const known = places.filter(({ blockNumber }) => blockNumber >= l1FeesFrom);
  const rows =
    known.length === 0
      ? []
      : await sql<(TransactionPlace & { l1Fee: string | null })[]>`
          SELECT block_number, transaction_index, l1_fee FROM l1_fees_at(
            ${known.map(({ blockNumber }) => blockNumber)}::bigint[],
            ${known.map(({ transactionIndex }) => transactionIndex)}::int[])`;
  const fees = new Map(rows.map((row) => [placeText(row), row.l1Fee ?? "0"]));
  return (place) => fees.get(placeText(place)) ?? "";
}

/** Returns the range of published blocks with unread L1 fees, on a chain with such fees; undefined without any. */
export function getUnreadFees(sql: Queryable) {
  return firstRow(sql<BlockRange[]>`
    SELECT start_block AS from, least(l1_fees_from - 1, head_number) AS to FROM sync_state
    WHERE l1_fees AND head_number IS NOT NULL AND l1_fees_from > start_block`);
}

/**
 * Writes the L1 fees and further fields of the blocks from `from` on, and marks these blocks as read.
 * Returns false, and writes nothing, if one of the blocks is not the indexed one.
 */
export async function writeEarlierFees(sql: Transaction, from: number, rows: ChainRows) {
  if (!(await areIndexed(sql, from, rows))) return false;
  for (const { number, l1Fees, timestamp } of rows.blocks) {
    const fees = l1Fees === null ? null : String(BigInt(l1Fees));
    await sql`
      UPDATE daily_statistics SET l1_fees = l1_fees + coalesce(${fees}::numeric, 0)
        - coalesce((SELECT l1_fees FROM blocks WHERE number = ${number}), 0)
      WHERE day = ${dayOf(sql, timestamp)}`;
    await sql`UPDATE blocks SET l1_fees = ${fees}::numeric WHERE number = ${number}`;
  }
  for (const { blockNumber, transactionIndex, l1Fee, extra } of rows.transactions) {
    if (l1Fee === null && extra === null) continue;
    const fee = l1Fee === null ? null : String(BigInt(l1Fee));
    await sql`
      UPDATE transactions SET l1_fee = ${fee}::numeric, extra = ${extra}::text::json
      WHERE block_number = ${blockNumber} AND transaction_index = ${transactionIndex}`;
  }
  await sql`UPDATE sync_state SET l1_fees_from = ${from}`;
  return true;
}
