import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { inPublishedBlocks } from "../lists/page.ts";
import { type BlockRange, inRange } from "../writer/chain.ts";

// ERC-2309: one log may move 2^256 ids of a collection, and is not unfolded. Owners of its known ids are computed on request.

/** Returns the collections and parties of such logs in a range of blocks, as SQL. */
export function partiesOfConsecutiveTransfers(sql: Queryable, range: BlockRange): Fragment {
  return sql`
    SELECT token, party FROM consecutive_transfers
    CROSS JOIN LATERAL (VALUES (from_address), (to_address)) AS parties (party)
    WHERE ${inRange(sql, range)}`;
}

/** Returns the number of a collection's published logs of that kind, counted up to `limit`. */
export async function countConsecutiveTransfers(sql: Queryable, token: Address, limit: number) {
  const [counted] = await sql<[{ count: number }]>`
    SELECT count(*) FROM (
      SELECT 1 FROM consecutive_transfers WHERE token = ${token} AND ${inPublishedBlocks(sql)} LIMIT ${limit}
    ) AS published`;
  return counted.count;
}
