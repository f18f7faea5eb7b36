import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstRow, type Queryable } from "../../db/client.ts";
import type { TransactionPlace } from "./address-places.ts";
import { readPage } from "./large-pages.ts";
import type { TransactionLog } from "./logs.ts";
import { inPublishedBlocks } from "./page.ts";

// Transactions for JSON-RPC, with fields that the explorer's own answers omit.

/** Fields of some transaction types, in the node's form. */
export interface TransactionExtra {
  accessList?: unknown;
  authorizationList?: readonly unknown[];
  maxFeePerBlobGas?: Hex;
  blobVersionedHashes?: unknown;
  blobGasUsed?: Hex;
  blobGasPrice?: Hex;
  /** The signed price, where it is not the effective one. */
  gasPrice?: Hex;
  /** Chain-specific fields of the transaction and of its receipt. */
  transaction?: Record<string, unknown>;
  receipt?: Record<string, unknown>;
}

/** Position of a transaction, and fields shared with its receipt. Quantities are decimal text. */
interface PlacedTransaction {
  blockHash: Hex;
  blockNumber: number;
  transactionIndex: number;
  hash: Hex;
  type: number;
  from: Address;
  to: Address | null;
  /** The effective price. */
  gasPrice: string;
  extra: TransactionExtra | null;
}

/** A transaction in its signed form. */
export interface SignedTransaction extends PlacedTransaction {
  nonce: string;
  value: string;
  gas: string;
  maxFeePerGas: string | null;
  maxPriorityFeePerGas: string | null;
  input: Hex;
  v: string | null;
  /** 32 bytes. */
  r: Hex | null;
  s: Hex | null;
}

/** The receipt of a transaction. */
export interface StoredReceipt extends PlacedTransaction {
  createdContract: Address | null;
  cumulativeGasUsed: string;
  gasUsed: string;
  /** Null before Byzantium. */
  status: number | null;
  /** Wei; null where the receipt has none. */
  l1Fee: string | null;
  logs: TransactionLog[];
}

/** A transaction with its receipt, without logs. */
export interface TransactionWithReceipt extends SignedTransaction, Omit<StoredReceipt, "logs"> {
  timestampSeconds: number;
}

/** Returns the transactions at places, in the order of the places. */
export async function listTransactionsAt(sql: Queryable, places: readonly TransactionPlace[]) {
  const query = sql<TransactionWithReceipt[]>`
    SELECT b.timestamp AS timestamp_seconds, ${signedColumns(sql)}, ${receiptColumns(sql)}
    FROM unnest(
      ${places.map(({ blockNumber }) => blockNumber)}::bigint[],
      ${places.map(({ transactionIndex }) => transactionIndex)}::int[]
    ) WITH ORDINALITY AS asked (block_number, transaction_index, place)
    CROSS JOIN LATERAL transaction_at(asked.block_number, asked.transaction_index) t
    JOIN blocks b ON b.number = t.block_number
    ORDER BY asked.place`;
  return readPage(query, places.length, ({ input }) => [input]);
}

/** Returns the transaction of a hash; undefined when it is not in a published block. */
export function getSignedTransaction(sql: Queryable, hash: Hex) {
  return firstRow(sql<SignedTransaction[]>`
    SELECT ${signedColumns(sql)} FROM transaction_place(${hash}) p
    CROSS JOIN LATERAL transaction_at(p.block_number, p.transaction_index) t
    JOIN blocks b ON b.number = p.block_number
    WHERE ${inPublishedBlocks(sql, {}, "p.block_number")}`);
}

/** Returns the transaction at a place; null where the block has none, undefined when the block is not indexed. */
export async function getSignedTransactionAt(
  sql: Queryable,
  blockNumber: number,
  transactionIndex: number,
): Promise<{ transaction: SignedTransaction | null } | undefined> {
  const [row] = await sql<(SignedTransaction | { hash: null })[]>`
    SELECT ${signedColumns(sql)} FROM blocks b
    LEFT JOIN LATERAL transaction_at(b.number, ${transactionIndex}) t ON true
    WHERE b.number = ${blockNumber} AND ${inPublishedBlocks(sql, {}, "number")}`;
  return row && { transaction: row.hash === null ? null : row };
}

/** Selects the fields of `transactions t` in the block `b` that its signed form and its receipt share. */
function placedColumns(sql: Queryable): Fragment {
  return sql`b.hash AS block_hash, b.number AS block_number, t.transaction_index, t.hash, t.type,
    t.from_address AS from, t.to_address AS to, t.gas_price, t.extra`;
}

function signedColumns(sql: Queryable): Fragment {
  return sql`${placedColumns(sql)}, t.nonce, t.value, t.gas, t.max_fee_per_gas,
    t.max_priority_fee_per_gas, t.input, t.v, t.r, t.s`;
}

function receiptColumns(sql: Queryable): Fragment {
  return sql`t.created_contract, t.cumulative_gas_used, t.gas_used, t.status, t.l1_fee`;
}

/** Returns the receipt of a transaction, its logs in order; undefined when it is not in a published block. */
export async function getReceipt(sql: Queryable, hash: Hex): Promise<StoredReceipt | undefined> {
  type Row = Omit<StoredReceipt, "logs"> & (TransactionLog | { logIndex: null });
  // One row for each log, so that a single statement reads one state of the chain.
  const rows = await sql<Row[]>`
    SELECT ${placedColumns(sql)}, ${receiptColumns(sql)},
      l.log_index, l.address, l.topic0, l.topic1, l.topic2, l.topic3, l.data
    FROM transaction_place(${hash}) p
    CROSS JOIN LATERAL transaction_at(p.block_number, p.transaction_index) t
    JOIN blocks b ON b.number = p.block_number
    LEFT JOIN LATERAL logs_of_transaction(p.block_number, p.transaction_index) l ON true
    WHERE ${inPublishedBlocks(sql, {}, "p.block_number")}
    ORDER BY log_index`;
  const [receipt] = rows;
  return (
    receipt && {
      ...receipt,
      logs: rows.filter((row): row is Row & TransactionLog => row.logIndex !== null),
    }
  );
}
