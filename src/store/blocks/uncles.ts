import type { Address } from "../../core/evm/address.ts";
import type { Queryable } from "../../db/client.ts";
import type { PageRange } from "../lists/large-pages.ts";
import { behindPlace, inPublishedBlocks, pageOfBlocks } from "../lists/page.ts";

/** An uncle and its producer's reward. */
export interface Uncle {
  /** Number of the block that includes it. */
  blockNumber: number;
  /** Number of the uncle itself. */
  number: number;
  timestampSeconds: number;
  miner: Address;
}

/** Returns the uncles of a published block, in their order. */
export function listUnclesOfBlock(sql: Queryable, blockNumber: number) {
  return sql<Uncle[]>`
    SELECT block_number, number, timestamp AS timestamp_seconds, miner FROM uncles
    WHERE block_number = ${blockNumber} AND block_number <= (SELECT head_number FROM sync_state)
    ORDER BY position`;
}

const KEY = ["number", "block_number", "position"];

/** Returns an address's uncles that published blocks include, newest first. */
export function listUnclesOfMiner(sql: Queryable, miner: Address, page: PageRange) {
  const rows = sql`
    SELECT block_number, position, number, timestamp AS timestamp_seconds, miner FROM uncles
    WHERE miner = ${miner} AND ${inPublishedBlocks(sql)} ${behindPlace(sql, page, KEY, "desc")}`;
  const inIndex = sql`number DESC, block_number DESC`;
  const orders = { inIndex, order: sql`${inIndex}, position DESC` };
  return sql<(Uncle & { position: number })[]>`
    SELECT block_number, position, number, timestamp_seconds, miner
    FROM (${pageOfBlocks(sql, rows, orders, page)}) AS page
    ORDER BY ${orders.order}`;
}
