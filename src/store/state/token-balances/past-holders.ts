import { type Address, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import type { Queryable } from "../../../db/client.ts";
import type { PageRange } from "../../lists/large-pages.ts";
import { behindKey, inPublishedBlocks } from "../../lists/page.ts";
import type { TokenStandard } from "../../lists/token-transfers.ts";
import { HOLDER_KEY } from "./holdings.ts";

/** A holder by the transfers up to a block; of ERC-1155 also by the ids that are held. */
export interface PastHolder {
  owner: Address;
  amount: string;
  /** `id:amount`, separated by commas; null where the token has no ids. */
  byId: string | null;
}

/** Returns the number of a token's transfers up to a block, at most `limit`, and whether the index may lack earlier ones. */
export async function countPastTransfers(
  sql: Queryable,
  token: Address,
  block: number,
  limit: number,
): Promise<{ transfers: number; lacksEarlier: boolean }> {
  const [found] = await sql<{ transfers: number; lacksEarlier: boolean }[]>`
    SELECT (
        SELECT count(*)::int FROM (
          SELECT 1 FROM token_transfers
          WHERE token = ANY(ARRAY[${token}::bytea]) AND ${inPublishedBlocks(sql, { to: block })} LIMIT ${limit}
        ) AS counted
      ) AS transfers,
      start_block > 0 AND NOT EXISTS (SELECT FROM contracts WHERE address = ${token} AND ${inPublishedBlocks(sql)}) AS lacks_earlier
    FROM sync_state`;
  return found ?? { transfers: 0, lacksEarlier: true };
}

/**
 * Returns holders of a token after a block by amount, then address, both descending, and the sum of all amounts. Every transfer
 * up to the block is read.
 */
export async function listPastHolders(
  sql: Queryable,
  { token, standard, block }: { token: Address; standard: TokenStandard; block: number },
  page: PageRange,
): Promise<{ holders: PastHolder[]; total: string }> {
  const rows = await sql<(PastHolder & { total: string })[]>`
    WITH held AS MATERIALIZED (
      SELECT side.owner, id, sum(side.sign * CASE standard WHEN 721 THEN 1 ELSE coalesce(amount, 0) END) AS amount
      FROM token_transfers
      CROSS JOIN LATERAL (VALUES (from_address, -1), (to_address, 1)) AS side (owner, sign)
      CROSS JOIN LATERAL (SELECT CASE WHEN standard = 1155 THEN token_id END AS id) AS ids
      WHERE token = ANY(ARRAY[${token}::bytea]) AND standard = ${standard}
        AND ${inPublishedBlocks(sql, { to: block })} AND side.owner <> ${ZERO_ADDRESS}
      GROUP BY side.owner, id
    ), holders AS MATERIALIZED (
      SELECT owner, sum(amount) AS amount,
        string_agg(id || ':' || amount, ',') FILTER (WHERE id IS NOT NULL) AS by_id
      FROM held WHERE amount <> 0 GROUP BY owner
    )
    SELECT page.*, (SELECT sum(amount) FROM holders) AS total
    FROM (
      SELECT owner, amount, by_id FROM holders
      WHERE amount <> 0 ${behindKey(sql, page, HOLDER_KEY, "desc")}
      ORDER BY amount DESC, owner DESC LIMIT ${page.limit} OFFSET ${page.skip}
    ) AS page
    ORDER BY amount DESC, owner DESC`;
  return { holders: rows, total: rows[0]?.total ?? "0" };
}
