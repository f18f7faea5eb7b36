import type { Queryable } from "../../db/client.ts";
import type { ServedHead } from "../sync-state.ts";

interface Place {
  blockNumber: number;
  transactionIndex: number;
}

/** Returns the L1 fee of a transaction as text: wei, "0" where its receipt has none, "" while it is unknown. */
export type L1FeeOf = (place: Place) => string;

/**
 * Reads the L1 fees of transactions of `sql`'s snapshot, whose head is `served`; undefined on a chain without L1 fees. They are read
 * apart, so that lists of chains without them have no column more.
 */
export async function readL1Fees(
  sql: Queryable,
  places: readonly Place[],
  served: PromiseLike<ServedHead>,
): Promise<L1FeeOf | undefined> {
  const { l1FeesFrom } = await served;
  if (l1FeesFrom === null) return undefined;
  const known = places.filter(({ blockNumber }) => blockNumber >= l1FeesFrom);
  const rows =
    known.length === 0
      ? []
      : await sql<(Place & { l1Fee: string | null })[]>`
          SELECT block_number, transaction_index, l1_fee FROM l1_fees_at(
            ${known.map(({ blockNumber }) => blockNumber)}::bigint[],
            ${known.map(({ transactionIndex }) => transactionIndex)}::int[])`;
  const fees = new Map(rows.map((row) => [keyOf(row), row.l1Fee ?? "0"]));
  return (place) => fees.get(keyOf(place)) ?? "";
}

const keyOf = ({ blockNumber, transactionIndex }: Place) => `${blockNumber} ${transactionIndex}`;
