import type { Address } from "../../core/evm/address.ts";
import type { Queryable, Transaction } from "../../db/client.ts";
import type { Delegation } from "../contracts/verified/abis.ts";
import { markTokens } from "../state/tokens/marks.ts";
import type { ChainRows } from "../writer/chain-tables.ts";
import { findSentTransaction } from "./address-places.ts";

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

/** Stores the delegations of a block, and marks the tokens at accounts whose delegation was not stored. */
export async function writeDelegations(
  sql: Transaction,
  blockNumber: number,
  rows: ChainRows["delegations"],
): Promise<void> {
  const added = await sql<{ authority: Address }[]>`
    INSERT INTO delegations (authority, block_number, transaction_index, position, delegate, nonce)
    SELECT authority, ${blockNumber}, transaction_index, position, delegate, nonce FROM unnest(
      ${rows.map(({ authority }) => authority)}::bytea[], ${rows.map((row) => row.transactionIndex)}::int[],
      ${rows.map(({ position }) => position)}::int[], ${rows.map(({ delegate }) => delegate)}::bytea[],
      ${rows.map(({ nonce }) => String(BigInt(nonce)))}::numeric[]
    ) AS rows (authority, transaction_index, position, delegate, nonce)
    ON CONFLICT DO NOTHING RETURNING authority`;
  await sql`UPDATE sync_state SET delegations_to = ${blockNumber}`;
  const accounts = added.map(({ authority }) => authority);
  await markTokens(sql, accounts, "code", blockNumber);
}

/** Authorizations of an account that are looked at. */
const MOST_LOOKED_AT = 4;

/**
 * Returns the contracts that accounts delegated to after a transaction: of authorizations up to it, that of the highest nonce
 * without a transaction of the account is the last that took effect, at its first place.
 */
export async function listDelegates(
  sql: Queryable,
  accounts: readonly Address[],
  { blockNumber, transactionIndex }: { blockNumber: number; transactionIndex: number },
): Promise<Delegation[]> {
  const signed = await sql<(Delegation & { nonce: string; head: number })[]>`
    SELECT asked.account AS caller, last.delegate AS callee, last.nonce, (SELECT head_number FROM sync_state) AS head
    FROM unnest(${[...accounts]}::bytea[]) AS asked (account) CROSS JOIN LATERAL (
      SELECT DISTINCT ON (nonce) nonce, delegate FROM delegations
      WHERE authority = asked.account
        AND (block_number, transaction_index) <= (${blockNumber}::bigint, ${transactionIndex}::int)
      ORDER BY nonce DESC, block_number, transaction_index, position LIMIT ${MOST_LOOKED_AT}
    ) AS last
    ORDER BY last.nonce DESC`;
  const found = new Map<Address, Delegation>();
  for (const { caller, callee, nonce, head } of signed) {
    if (found.has(caller)) continue;
    const sent = await findSentTransaction(sql, caller, Number(nonce), head);
    if (sent === null) found.set(caller, { caller, callee });
  }
  return [...found.values()];
}

/** Returns whether all delegations of a block are stored. */
export async function hasDelegations(sql: Queryable, blockNumber: number): Promise<boolean> {
  const [state] = await sql`SELECT 1 FROM sync_state WHERE delegations_to >= ${blockNumber}`;
  return state !== undefined;
}
