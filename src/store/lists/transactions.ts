import type { Address } from "../../core/evm/address.ts";
import { type ReadAuthorization, readAuthorizations } from "../../core/evm/authorization.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstRow, hasRows, pluck, type Queryable } from "../../db/client.ts";
import { type Delegation, listVerifiedAbis, type VerifiedAbi } from "../contracts/verified/abis.ts";
import type { TransactionPlace } from "./address-places.ts";
import { listDelegates } from "./delegations.ts";
import type { TransactionLog } from "./logs.ts";
import { inPublishedBlocks } from "./page.ts";
import type { TransactionExtra } from "./rpc-transactions.ts";

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

/** Returns whether something stored may name the called function: a verified source of the receiver, or a delegation. Cheap. */
export function mayBeNamed(sql: Queryable, receiver = sql`to_address`): Fragment {
  return sql`(
    EXISTS (SELECT 1 FROM verified_contracts WHERE address = ${receiver})
    OR EXISTS (SELECT 1 FROM proxies WHERE address = ${receiver})
    OR EXISTS (SELECT 1 FROM delegations WHERE authority = ${receiver}))`;
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

/** Fields of a transaction for its own page only. Quantities are decimal text. */
interface TransactionFacts {
  type: number;
  nonce: string;
  createdContract: Address | null;
  maxFeePerGas: string | null;
  maxPriorityFeePerGas: string | null;
  /** The base fee of the block; null before EIP-1559. */
  baseFeePerGas: string | null;
  logs: number;
  extra: TransactionExtra | null;
}

/** Data for the details of a transaction. */
export interface ReadDetails {
  facts: TransactionFacts;
  /** The first authorizations (EIP-7702). */
  authorizations: ReadAuthorization[];
  /** ABIs of the receiver, and of the contracts that logged or failed. */
  abis: VerifiedAbi[];
}

const MOST_FAILED = 20;
const MOST_DELEGATIONS = 50;
export const MOST_AUTHORIZATIONS = 100;

/** Reads the data for the details of a transaction; `sql` must be the transaction's snapshot. */
export async function readTransactionDetails(
  sql: Queryable,
  transaction: TransactionDetail,
  logs: readonly TransactionLog[],
  chainId: number,
): Promise<ReadDetails | undefined> {
  const facts = await getFacts(sql, transaction);
  if (!facts) return undefined;
  const failed = transaction.succeeded === false ? await listFailedCallees(sql, transaction) : [];
  const authorizations = await readAuthorizations(
    facts.extra?.authorizationList,
    chainId,
    MOST_AUTHORIZATIONS,
  );
  const receiver = transaction.to ?? facts.createdContract;
  const named = [receiver, ...logs.map(({ address }) => address), ...failed];
  const addresses = [...new Set(named.filter((address) => address !== null))];
  // Accounts and proxies may have another target now.
  const delegates = await listDelegates(sql, addresses, transaction);
  const delegations = await listDelegations(sql, transaction);
  const abis = await listVerifiedAbis(sql, addresses, { delegates, delegations });
  return { facts, authorizations, abis };
}

function getFacts(sql: Queryable, { blockNumber, transactionIndex }: TransactionPlace) {
  return firstRow(sql<TransactionFacts[]>`
    SELECT t.type, t.nonce, t.created_contract, t.max_fee_per_gas,
      t.max_priority_fee_per_gas, b.base_fee_per_gas, t.extra,
      (SELECT count(*)::int FROM logs_of_transaction(t.block_number, t.transaction_index)) AS logs
    FROM transaction_at(${blockNumber}, ${transactionIndex}) t
    JOIN blocks b ON b.number = t.block_number`);
}

/** Selects calls that ran other code in the caller's context, the first of each. */
function listDelegations(sql: Queryable, { blockNumber, transactionIndex }: TransactionPlace) {
  return sql<Delegation[]>`
    SELECT from_address AS caller, to_address AS callee FROM internal_transactions
    WHERE block_number = ${blockNumber} AND transaction_index = ${transactionIndex}
      AND call_type IN ('delegatecall', 'callcode') AND to_address IS NOT NULL
    GROUP BY from_address, to_address
    ORDER BY min(position)
    LIMIT ${MOST_DELEGATIONS}`;
}

/** Returns callees of the failed frames, the outermost first. */
function listFailedCallees(sql: Queryable, { blockNumber, transactionIndex }: TransactionPlace) {
  return pluck(sql<{ callee: Address }[]>`
    SELECT to_address AS callee FROM internal_transactions
    WHERE block_number = ${blockNumber} AND transaction_index = ${transactionIndex}
      AND error IS NOT NULL AND to_address IS NOT NULL
    ORDER BY position
    LIMIT ${MOST_FAILED}`);
}
