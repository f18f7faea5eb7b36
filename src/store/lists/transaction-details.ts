import type { Address } from "../../core/evm/address.ts";
import { type ReadAuthorization, readAuthorizations } from "../../core/evm/authorization.ts";
import { firstRow, pluck, type Queryable } from "../../db/client.ts";
import { type Delegation, listVerifiedAbis, type VerifiedAbi } from "../contracts/verified/abis.ts";
import type { TransactionLog } from "./logs.ts";
import type { TransactionExtra } from "./rpc-transactions.ts";
import type { TransactionDetail } from "./transactions.ts";

/** Fields of a transaction for its own page only. Quantities are decimal text. */
interface TransactionFacts {
  type: number;
  nonce: string;
  createdContract: Address | null;
  maxFeePerGas: string | null;
  maxPriorityFeePerGas: string | null;
  /** Of the block; null before EIP-1559. */
  baseFeePerGas: string | null;
  logs: number;
  extra: TransactionExtra | null;
}

/** Data for the details of a transaction. */
export interface ReadDetails {
  facts: TransactionFacts;
  /** Of EIP-7702, the first ones. */
  authorizations: ReadAuthorization[];
  /** Of the receiver and of the contracts that logged or failed. */
  abis: VerifiedAbi[];
}

type Place = Pick<TransactionDetail, "blockNumber" | "transactionIndex">;

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
  // Of several authorizations of an account the last one counts.
  const ofAccounts = authorizations
    .toReversed()
    .flatMap(({ authority, address, valid }) =>
      valid && authority ? [{ caller: authority, callee: address }] : [],
    );
  // A proxy may have another target now.
  const delegations = [...ofAccounts, ...(await listDelegations(sql, transaction))];
  const receiver = transaction.to ?? facts.createdContract;
  const addresses = [receiver, ...logs.map(({ address }) => address), ...failed];
  const distinct = new Set(addresses.filter((address) => address !== null));
  return { facts, authorizations, abis: await listVerifiedAbis(sql, [...distinct], delegations) };
}

function getFacts(sql: Queryable, { blockNumber, transactionIndex }: Place) {
  return firstRow(sql<TransactionFacts[]>`
    SELECT t.type, t.nonce, t.created_contract, t.max_fee_per_gas,
      t.max_priority_fee_per_gas, b.base_fee_per_gas, t.extra,
      (SELECT count(*)::int FROM logs_of_transaction(t.block_number, t.transaction_index)) AS logs
    FROM transaction_at(${blockNumber}, ${transactionIndex}) t
    JOIN blocks b ON b.number = t.block_number`);
}

/** Selects calls that ran other code in the caller's context, the first of each. */
function listDelegations(sql: Queryable, { blockNumber, transactionIndex }: Place) {
  return sql<Delegation[]>`
    SELECT from_address AS caller, to_address AS callee FROM internal_transactions
    WHERE block_number = ${blockNumber} AND transaction_index = ${transactionIndex}
      AND call_type IN ('delegatecall', 'callcode') AND to_address IS NOT NULL
    GROUP BY from_address, to_address
    ORDER BY min(position)
    LIMIT ${MOST_DELEGATIONS}`;
}

/** Returns callees of the failed frames, the outermost first. */
function listFailedCallees(sql: Queryable, { blockNumber, transactionIndex }: Place) {
  return pluck(
    "callee",
    sql<{ callee: Address }[]>`
    SELECT to_address AS callee FROM internal_transactions
    WHERE block_number = ${blockNumber} AND transaction_index = ${transactionIndex}
      AND error IS NOT NULL AND to_address IS NOT NULL
    ORDER BY position
    LIMIT ${MOST_FAILED}`,
  );
}
