import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstRow, hasRows, type Queryable } from "../../db/client.ts";
import type { TransactionLog } from "./logs.ts";
import { inPublishedBlocks } from "./page.ts";

/** One transaction for its own page. */
export interface TransactionDetail {
  blockNumber: number;
  blockHash: Hex;
  parentHash: Hex;
  timestampSeconds: number;
  /** Head number minus block number. */
  confirmations: number;
  transactionIndex: number;
  hash: Hex;
  from: Address;
  /** Null for a creation. */
  to: Address | null;
  value: string;
  gas: string;
  gasPrice: string;
  gasUsed: string;
  /** Of the receipt; null before Byzantium. */
  status: number | null;
  /** See `hasSucceeded`. */
  succeeded: boolean | null;
  input: Hex;
  /** The error of a failed transaction with an indexed trace. */
  error: string | null;
  revertData: Hex | null;
  /** True if traces are indexed. */
  traced: boolean;
}

/** Returns whether a transaction succeeded: by receipt, before Byzantium (EIP-658) by trace, else null. */
export function hasSucceeded(sql: Queryable): Fragment {
  return sql`
    CASE WHEN status IS NOT NULL THEN status = 1 WHEN (SELECT traced FROM sync_state) THEN error IS NULL END`;
}

/** Returns the transaction of a hash; undefined when it is not in a published block. */
export async function getTransaction(sql: Queryable, hash: Hex) {
  return firstRow(sql<TransactionDetail[]>`
    SELECT t.block_number, b.hash AS block_hash, b.parent_hash,
      b.timestamp AS timestamp_seconds, (SELECT head_number FROM sync_state) - t.block_number AS confirmations,
      t.transaction_index, t.hash, t.from_address AS from, t.to_address AS to, t.value, t.gas,
      t.gas_price, t.gas_used, t.status, ${hasSucceeded(sql)} AS succeeded, t.input, t.error,
      t.revert_data, (SELECT traced FROM sync_state) AS traced
    FROM transaction_place(${hash}) p
    CROSS JOIN LATERAL transaction_at(p.block_number, p.transaction_index) t
    JOIN blocks b ON b.number = p.block_number
    WHERE ${inPublishedBlocks(sql, {}, "p.block_number")}`);
}

/** Returns a transaction's logs with an index above `after`, at most `limit`; undefined when its block was rolled back. */
export async function listLogsOfTransaction(
  sql: Queryable,
  transaction: Pick<TransactionDetail, "blockNumber" | "blockHash" | "transactionIndex">,
  { after, limit }: { after: number; limit: number },
): Promise<TransactionLog[] | undefined> {
  const { blockNumber, blockHash, transactionIndex } = transaction;
  const rows = await sql<(TransactionLog | { logIndex: null })[]>`
    SELECT log_index, address, topic0, topic1, topic2, topic3, data
    FROM blocks
    LEFT JOIN LATERAL logs_of_transaction(number, ${transactionIndex}) ON log_index > ${after}
    WHERE number = ${blockNumber} AND hash = ${blockHash}
    ORDER BY log_index
    LIMIT ${limit}`;
  return rows.length === 0 ? undefined : rows.filter((row) => row.logIndex !== null);
}

/** Returns whether any published block has a transaction. */
export function hasPublishedTransactions(sql: Queryable) {
  return hasRows(sql`SELECT 1 FROM transactions WHERE ${inPublishedBlocks(sql)} LIMIT 1`);
}
