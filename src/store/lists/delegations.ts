import type { Address } from "../../core/evm/address.ts";
import { firstValue, hasRows, type Queryable, type Transaction } from "../../db/client.ts";
import type { Delegation } from "../contracts/verified/abis.ts";
import { markTokens } from "../state/tokens/marks.ts";
import type { ChainRows } from "../writer/chain-tables.ts";
import { findLastNonce, findSentTransaction, type TransactionPlace } from "./address-places.ts";

type Authorizing = Pick<
  ChainRows["transactions"][number],
  "type" | "blockNumber" | "transactionIndex" | "extra"
>;

/** Returns the transactions with authorizations of the next block whose delegations are not stored for certain. */
export function listUnreadAuthorizing(sql: Queryable): Promise<Authorizing[]> {
  return sql<Authorizing[]>`
    SELECT type, block_number, transaction_index, extra::text FROM transactions
    WHERE type = 4 AND block_number = (
      SELECT min(block_number) FROM transactions
      WHERE type = 4 AND block_number > (SELECT delegations_to FROM sync_state)
        AND block_number <= (SELECT head_number FROM sync_state))`;
}

/** Stores delegations of a block, the last ones where `isWhole`, and marks the tokens at accounts whose delegation was not stored. */
export async function writeDelegations(
  sql: Transaction,
  blockNumber: number,
  rows: ChainRows["delegations"],
  isWhole: boolean,
): Promise<void> {
  const added = await sql<{ authority: Address }[]>`
    INSERT INTO delegations (authority, block_number, transaction_index, position, delegate, nonce)
    SELECT authority, ${blockNumber}, transaction_index, position, delegate, nonce FROM unnest(
      ${rows.map(({ authority }) => authority)}::bytea[], ${rows.map((row) => row.transactionIndex)}::int[],
      ${rows.map(({ position }) => position)}::int[], ${rows.map(({ delegate }) => delegate)}::bytea[],
      ${rows.map(({ nonce }) => String(BigInt(nonce)))}::numeric[]
    ) AS rows (authority, transaction_index, position, delegate, nonce)
    ON CONFLICT DO NOTHING RETURNING authority`;
  if (isWhole) await sql`UPDATE sync_state SET delegations_to = ${blockNumber}`;
  const accounts = added.map(({ authority }) => authority);
  await markTokens(sql, accounts, "code", blockNumber);
}

/** Most nonces of an account that are compared with its transactions, and most that are read. */
const MOST_COMPARED = 4;
const MOST_NONCES = 1_000;

/**
 * Returns the contracts that accounts delegated to after a transaction. Leaves out an account whose nonces do not show that, for
 * instance because its delegated code used a nonce to create a contract.
 */
export async function listDelegates(
  sql: Queryable,
  accounts: readonly Address[],
  place: TransactionPlace,
): Promise<Delegation[]> {
  const signed = await sql<{ account: Address; nonce: string; head: number }[]>`
    SELECT asked.account, newest.nonce, (SELECT head_number FROM sync_state) AS head
    FROM unnest(${[...accounts]}::bytea[]) AS asked (account) CROSS JOIN LATERAL (
      SELECT DISTINCT nonce FROM delegations WHERE authority = asked.account AND ${isUpTo(sql, place)}
      ORDER BY nonce DESC LIMIT ${MOST_NONCES}
    ) AS newest
    ORDER BY newest.nonce DESC`;
  const found: Delegation[] = [];
  for (const [account, rows] of Map.groupBy(signed, (row) => row.account)) {
    const nonces = rows.map(({ nonce }) => Number(nonce));
    const head = rows[0]?.head ?? 0;
    for (const nonce of used(nonces, await findLastNonce(sql, account))) {
      const callee = await findDelegate(sql, account, { nonce, head }, place);
      if (!callee) continue;
      found.push({ caller: account, callee });
      break;
    }
  }
  return found;
}

const isUpTo = (sql: Queryable, { blockNumber, transactionIndex }: TransactionPlace) =>
  sql`(block_number, transaction_index) <= (${blockNumber}::bigint, ${transactionIndex}::int)`;

/** Returns the nonces, descending, that the account has certainly used: those after its last transaction only if none is missing. */
function used(nonces: readonly number[], last: number): readonly number[] {
  const later = nonces.filter((nonce) => nonce > last);
  const hasGap = later.length > 0 && later[0] !== last + later.length;
  return hasGap ? [] : nonces.slice(0, MOST_COMPARED);
}

/** Returns the delegate of the authorization that used a nonce: the first one after the transaction with the previous nonce. */
async function findDelegate(
  sql: Queryable,
  account: Address,
  { nonce, head }: { nonce: number; head: number },
  place: TransactionPlace,
): Promise<Address | undefined> {
  const user = await findSentTransaction(sql, account, nonce, head);
  const before = await findSentTransaction(sql, account, nonce - 1, head);
  const isAfter = before
    ? sql`(block_number, transaction_index) >= (${before.blockNumber}::bigint, ${before.transactionIndex}::int)`
    : sql`true`;
  const first = await firstValue(sql<{ delegate: Address }[]>`
    SELECT delegate FROM delegations
    WHERE authority = ${account} AND nonce = ${nonce}::numeric AND ${isUpTo(sql, place)} AND ${isAfter}
    ORDER BY block_number, transaction_index, position LIMIT 1`);
  return user ? undefined : first;
}

/** Returns whether all delegations of a block are stored. */
export function hasDelegations(sql: Queryable, blockNumber: number) {
  return hasRows(sql`SELECT 1 FROM sync_state WHERE delegations_to >= ${blockNumber}`);
}
