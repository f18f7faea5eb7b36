import type { Address } from "../../core/evm/address.ts";
import { DEPOSIT_TYPE } from "../../core/evm/deposits.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstRow, type Queryable } from "../../db/client.ts";
import { publishedHead } from "../cluster/distributed-reads.ts";
import type { PageRange } from "../lists/large-pages.ts";
import { type BlockBounds, behindPlace, inPublishedBlocks } from "../lists/page.ts";

/** A block's header with the counts of its contents. Amounts in wei. */
export interface BlockEntry {
  number: number;
  hash: Hex;
  parentHash: Hex;
  timestampSeconds: number;
  /** Head number minus block number. */
  confirmations: number;
  miner: Address;
  difficulty: string;
  /** In bytes. */
  size: number;
  gasLimit: string;
  gasUsed: string;
  /** Null before EIP-1559. */
  baseFeePerGas: string | null;
  transactionCount: number;
  /** Fees of the transactions. */
  fees: string;
  /** The part of the fees that the fee recipient keeps. */
  reward: string;
}

/** Returns published blocks, newest first. */
export function listBlocks(sql: Queryable, blocks: BlockBounds, page: PageRange) {
  return sql<BlockEntry[]>`
    SELECT ${columns(sql)} FROM blocks
    WHERE ${inPublishedBlocks(sql, blocks, "number")} ${behindPlace(sql, page, ["number"], "desc")}
    ORDER BY number DESC
    LIMIT ${page.limit} OFFSET ${page.skip}`;
}

/** Returns the published block of a number or a hash; undefined when there is none. */
export function getBlock(sql: Queryable, block: { number: number } | { hash: Hex }) {
  const which = "hash" in block ? sql`hash = ${block.hash}` : sql`number = ${block.number}`;
  return firstRow(sql<BlockEntry[]>`
    SELECT ${columns(sql)} FROM blocks WHERE ${which} AND ${inPublishedBlocks(sql, {}, "number")}`);
}

/** Returns the gas of a block's deposits (rollups of the OP stack); null without one. */
export async function getDepositGas(sql: Queryable, blockNumber: number): Promise<string | null> {
  const [row] = await sql<{ gas: string | null }[]>`
    SELECT sum(gas_used) AS gas FROM transactions
    WHERE block_number = ${blockNumber} AND type = ${DEPOSIT_TYPE}`;
  return row?.gas ?? null;
}

function columns(sql: Queryable): Fragment {
  return sql`
    number, hash, parent_hash, timestamp AS timestamp_seconds,
    ${publishedHead(sql)} - number AS confirmations, miner, difficulty, size,
    gas_limit, gas_used, base_fee_per_gas,
    transaction_count, fees, reward`;
}
