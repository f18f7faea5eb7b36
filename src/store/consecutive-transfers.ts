import { type Address, addressOfWord } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Fragment, Queryable } from "../db/client.ts";
import { type BlockRange, inRange } from "./chain.ts";
import { hasKey } from "./index-keys.ts";
import { inPublishedBlocks } from "./page.ts";

// ERC-2309: one log may move 2^256 ids of a collection, and is not unfolded. Who owns the ids that are known of it is found when
// that is asked for.

/** keccak-256 of `ConsecutiveTransfer(uint256,uint256,address,address)`; the last id is the log's data. */
const CONSECUTIVE_TRANSFER: Hex =
  "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d";

/** The collections and parties of such logs in a range of blocks, as a part of a statement. */
export function partiesOfConsecutiveTransfers(sql: Queryable, range: BlockRange): Fragment {
  return sql`
    SELECT address AS token, substr(word, 13) AS party
    FROM logs CROSS JOIN LATERAL (VALUES (topic2), (topic3)) AS words (word)
    WHERE ${inRange(sql, range)} AND ${isConsecutiveTransfer(sql)}`;
}

/** Ids that a collection moved together, both ends included. */
export interface ConsecutiveTransfer {
  firstId: bigint;
  lastId: bigint;
  to: Address;
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
}

interface LogOfConsecutiveTransfer
  extends Pick<ConsecutiveTransfer, "blockNumber" | "transactionIndex" | "logIndex"> {
  first: Hex | null;
  last: Hex;
  to: Hex | null;
}

/** What a collection moved so, in no order; at most `limit`. */
export async function listConsecutiveTransfers(
  sql: Queryable,
  token: Address,
  limit: number,
): Promise<ConsecutiveTransfer[]> {
  const logs = await sql<LogOfConsecutiveTransfer[]>`
    SELECT topic1 AS first, data AS last, topic3 AS "to", block_number, transaction_index, log_index FROM logs
    WHERE ${hasKey(sql, [sql`address`, sql`${token}::bytea`], [sql`topic0`, sql`${CONSECUTIVE_TRANSFER}::bytea`])}
      AND ${isConsecutiveTransfer(sql)} AND ${inPublishedBlocks(sql)}
    LIMIT ${limit}`;
  return logs.flatMap(({ first, last, to, ...place }) =>
    first && to
      ? { ...place, firstId: BigInt(first), lastId: BigInt(last), to: addressOfWord(to) }
      : [],
  );
}

/** What moved ids last, in their order: ranges without an id in common, at most twice as many. */
export function lastMovements(transfers: readonly ConsecutiveTransfer[]): ConsecutiveTransfer[] {
  const bounds = new Set(transfers.flatMap(({ firstId, lastId }) => [firstId, lastId + 1n]));
  const starts = [...bounds].sort((a, b) => (a < b ? -1 : 1));
  const placeOf = new Map(starts.map((id, place) => [id, place]));
  const latestFirst = transfers.toSorted(
    (a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex,
  );
  const movements = new Array<ConsecutiveTransfer | undefined>(starts.length);
  // The next place that no later transfer took; those passed on the way lead there directly from then on.
  const free = starts.map((_, place) => place);
  const findFree = (from: number): number => {
    let place = from;
    while (free[place] !== undefined && free[place] !== place) place = free[place] as number;
    for (let passed = from; passed < place; ) {
      const next = free[passed] as number;
      free[passed] = place;
      passed = next;
    }
    return place;
  };
  for (const transfer of latestFirst) {
    const end = placeOf.get(transfer.lastId + 1n) as number;
    let place = findFree(placeOf.get(transfer.firstId) as number);
    for (; place < end; place = findFree(place)) {
      const [firstId, next] = [starts[place] as bigint, starts[place + 1] as bigint];
      movements[place] = { ...transfer, firstId, lastId: next - 1n };
      free[place] = place + 1;
    }
  }
  return movements.filter((movement) => movement !== undefined);
}

function isConsecutiveTransfer(sql: Queryable): Fragment {
  return sql`topic0 = ${CONSECUTIVE_TRANSFER} AND topic3 IS NOT NULL AND length(data) = 32`;
}
