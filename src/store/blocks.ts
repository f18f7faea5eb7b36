import type { Address } from "../core/address.ts";
import type { Queryable } from "../db/client.ts";
import { inPublishedBlocks, type PageRange } from "./page.ts";

/** A block by its fee recipient. */
export interface MinedBlock {
  number: number;
  timestampSeconds: number;
  /** In wei: the fees without the burnt base fee. */
  reward: string;
}

/** Blocks whose fee recipient is the address, newest first. */
export async function listMinedBlocks(
  sql: Queryable,
  miner: Address,
  { limit, skip }: PageRange,
): Promise<MinedBlock[]> {
  return sql<MinedBlock[]>`
    SELECT page.number, b.timestamp AS "timestampSeconds", b.reward
    FROM (
      SELECT number FROM blocks
      WHERE miner = ${miner} AND ${inPublishedBlocks(sql, {}, "number")}
      ORDER BY number DESC
      LIMIT ${limit} OFFSET ${skip}
    ) page
    CROSS JOIN LATERAL (SELECT timestamp, reward FROM blocks WHERE number = page.number LIMIT 1) b
    ORDER BY page.number DESC`;
}
