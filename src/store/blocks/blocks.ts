import type { Address } from "../../core/evm/address.ts";
import { DEPOSIT_TYPE } from "../../core/evm/deposits.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstRow, firstValue, type Queryable } from "../../db/client.ts";
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
  /** Fees for the transactions' data on L1, apart from `fees`; null where there are none, or they are still unread. */
  l1Fees: string | null;
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
    transaction_count, fees, reward, l1_fees`;
}

/** A block for the list of its fee recipient. */
export interface MinedBlock {
  number: number;
  timestampSeconds: number;
  /** In wei: the fees without the burnt base fee. */
  reward: string;
  /** Number of included uncles. */
  uncleCount: number;
}

/** Returns blocks whose fee recipient is the address, newest first. */
export function listMinedBlocks(sql: Queryable, miner: Address, page: PageRange) {
  // The miner in the order selects its own index: see `LogRange` in logs.ts.
  return sql<MinedBlock[]>`
    SELECT page.number, b.timestamp AS timestamp_seconds, b.reward,
      (SELECT count(*)::int FROM uncles WHERE block_number = page.number) AS uncle_count
    FROM (
      SELECT number FROM blocks
      WHERE miner = ANY(ARRAY[${miner}::bytea]) AND ${inPublishedBlocks(sql, {}, "number")} ${behindPlace(sql, page, ["number"], "desc")}
      ORDER BY miner DESC, number DESC
      LIMIT ${page.limit} OFFSET ${page.skip}
    ) page
    CROSS JOIN LATERAL (SELECT timestamp, reward FROM blocks WHERE number = page.number LIMIT 1) b
    ORDER BY page.number DESC`;
}

/** Counts of a block's contents, by kind. */
export interface BlockCounts {
  number: number;
  transactions: number;
  /** Frames that move value, create or destroy, without the transactions' own calls. */
  internalTransactions: number;
  erc20Transfers: number;
  erc721Transfers: number;
  /** Events, independent of their number of ids. */
  erc1155Transfers: number;
}

/** Intervals of the newest blocks. */
export interface BlockPace {
  headNumber: number;
  /** Number of intervals: up to 100, 0 when there is only one block. */
  distances: number;
  /** Their sum in seconds; 0 if block times decrease. */
  seconds: number;
}

/** Counts the contents of a published block. */
export function getBlockCounts(sql: Queryable, number: number) {
  return firstRow(sql<BlockCounts[]>`
    SELECT number, transaction_count AS transactions, i.count AS internal_transactions,
      t.erc20 AS erc20_transfers, t.erc721 AS erc721_transfers, t.erc1155 AS erc1155_transfers
    FROM blocks
    CROSS JOIN LATERAL (
      SELECT count(*) FROM internal_transactions_of_block(blocks.number)
      WHERE type <> 'call' OR value > 0
    ) i
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE standard = 20) AS erc20,
        count(*) FILTER (WHERE standard = 721) AS erc721,
        count(DISTINCT log_index) FILTER (WHERE standard = 1155) AS erc1155
      FROM token_transfers_of_block(blocks.number)
    ) t
    WHERE number = ${number} AND number <= (SELECT head_number FROM sync_state)`);
}

/** Returns the pace of the newest 100 published blocks; undefined before the first block. */
export function getBlockPace(sql: Queryable) {
  return firstRow(sql<BlockPace[]>`
    SELECT s.head_number, s.head_number - b.number AS distances,
      greatest(s.head_timestamp - b.timestamp, 0) AS seconds
    FROM sync_state s
    JOIN LATERAL (
      SELECT number, timestamp FROM blocks WHERE number >= greatest(s.head_number - 100, s.start_block) ORDER BY number LIMIT 1
    ) b ON true`);
}

/** Returns the number of the last published block at or before a time, or of the first at or after it; undefined without one. */
export function findBlockNumber(
  sql: Queryable,
  timestampSeconds: number,
  closest: "before" | "after",
) {
  const [isWithin, towards] = closest === "before" ? [sql`<=`, sql`DESC`] : [sql`>=`, sql`ASC`];
  return firstValue(sql<{ number: number }[]>`
    SELECT number FROM blocks
    WHERE timestamp ${isWithin} ${timestampSeconds} AND number <= (SELECT head_number FROM sync_state)
    ORDER BY timestamp ${towards}, number ${towards}
    LIMIT 1`);
}

/** Returns number and hash of a recorded block; undefined when there is none. */
export function getBlockReference(sql: Queryable, number: number) {
  return firstRow(sql<{ number: number; hash: Hex }[]>`
    SELECT number, hash FROM blocks WHERE number = ${number}`);
}
