import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { keyOf } from "../index-keys.ts";
import { type BlockBounds, inPublishedBlocks } from "./page.ts";

/** Actions whose lists of an address grow with blocks, in the order of their events. */
export const ACTIVITY_KINDS = [
  "txlist",
  "txlistinternal",
  "tokentx",
  "tokennfttx",
  "token1155tx",
  "txsBeaconWithdrawal",
] as const;

type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** The number of rows that a block adds to a list of an address. */
export interface Activity {
  blockNumber: number;
  address: Address;
  kind: ActivityKind;
  rows: number;
}

/** Counts the rows that blocks add to the lists of addresses. */
export async function listActivity(
  sql: Queryable,
  addresses: readonly Address[],
  blocks: BlockBounds,
): Promise<Activity[]> {
  const countRows = (kind: Fragment, entries: Fragment, isSame: Fragment, others = sql``) => sql<
    Activity[]
  >`
    SELECT entries.block_number, entries.address, ${kind} AS kind, count(*)::int AS rows
    FROM unnest(${addresses}::bytea[]) AS asked(address)
    JOIN ${entries} AS entries ON ${isSame}
    WHERE ${inPublishedBlocks(sql, blocks)} ${others}
    GROUP BY 1, 2, 3`;
  const isSame = sql`entries.address = asked.address`;
  const hasSameKey = sql`${keyOf(sql, sql`entries.address`)} = ${keyOf(sql, sql`asked.address`)} AND ${isSame}`;
  const transferKind = sql`'token' || CASE standard WHEN 721 THEN 'nft' WHEN 1155 THEN '1155' ELSE '' END || 'tx'`;
  const parts = await Promise.all([
    countRows(sql`'txlist'`, sql`address_transactions`, isSame),
    countRows(
      sql`'txlistinternal'`,
      sql`address_internal_transactions`,
      hasSameKey,
      sql`AND entries.valued`,
    ),
    countRows(
      transferKind,
      sql`address_token_transfers`,
      isSame,
      sql`AND entries.standard IN (20, 721, 1155)`,
    ),
    countRows(sql`'txsBeaconWithdrawal'`, sql`withdrawals`, isSame),
  ]);
  return parts.flat();
}

/** A block and its parent. */
export interface BlockLink {
  number: number;
  hash: Hex;
  parentHash: Hex;
}

/** Returns published blocks in their order. */
export function listBlockLinks(sql: Queryable, blocks: BlockBounds) {
  return sql<BlockLink[]>`
    SELECT number, hash, parent_hash FROM blocks
    WHERE ${inPublishedBlocks(sql, blocks, "number")} ORDER BY number`;
}
