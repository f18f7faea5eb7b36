import { type Address, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import { type Fragment, type Queryable, tableOf } from "../../../db/client.ts";
import { keyOf } from "../../index-keys.ts";
import { type BlockRange, inRange } from "../../writer/chain.ts";
import { partiesOfConsecutiveTransfers } from "../consecutive-transfers.ts";

// Movements in a range of blocks, as SQL for the statements that apply it and that list pending reads.

/** Key of a holding. `tokenId` (decimal text) is for ERC-1155 only; null means the whole holding. */
export interface HoldingKey {
  token: Address;
  owner: Address;
  tokenId: string | null;
}

/** Returns keys as a table `key`, as SQL. */
export function tableOfKeys(sql: Queryable, keys: readonly HoldingKey[]): Fragment {
  return tableOf(sql, "key", keys, { token: "bytea", owner: "bytea", tokenId: "numeric" });
}

/** Most holders whose holdings of irregular tokens are read again for a range, the tokens with the fewest first. */
const IRREGULAR_HOLDERS_MAXIMUM = 1_000;

/**
 * Returns the condition that a row `table` of token_balances is the holding of a token and an owner, which may be columns. Compares
 * both at once: before statistics of a large token the planner would read all its holdings for each, by the index of tokens.
 */
export function isHolding(sql: Queryable, table: Fragment, token: Fragment, owner: Fragment) {
  const [held, asked] = [sql`${table}.token || ${table}.owner`, sql`${token} || ${owner}`];
  return sql`${keyOf(sql, held)} = ${keyOf(sql, asked)} AND ${held} = ${asked}`;
}

/** Returns the changes of holdings by the transfers of a range: one row for each token, owner and, for ERC-1155, id. */
export function changes(sql: Queryable, range: BlockRange) {
  // An ERC-721 transfer moves one token. The id side of ERC-404 is not counted here.
  return sql`
    SELECT token, side.owner, CASE WHEN standard = 1155 THEN token_id END AS token_id,
      sum(side.sign * CASE standard WHEN 721 THEN 1 ELSE coalesce(amount, 0) END) AS change
    FROM token_transfers
    CROSS JOIN LATERAL (VALUES (from_address, -1), (to_address, 1)) AS side (owner, sign)
    WHERE ${inRange(sql, range)} AND side.owner <> ${ZERO_ADDRESS}
    GROUP BY token, side.owner, CASE WHEN standard = 1155 THEN token_id END`;
}

/** Returns irregular tokens with movements in a range. */
export function irregularTokensMoved(sql: Queryable, range: BlockRange) {
  return sql`
    SELECT address FROM (
      SELECT address, sum(holder_count) OVER (ORDER BY holder_count, address) AS holders FROM tokens
      WHERE standard <> 1155 AND irregular
        AND address IN (SELECT token FROM token_transfers WHERE ${inRange(sql, range)})
    ) AS moved
    WHERE holders <= ${IRREGULAR_HOLDERS_MAXIMUM}`;
}

/** Returns holdings above 0 of the tokens whose code changed in a range, at most `limit` (migrations/0170_changed_code.sql). */
export function changedHoldings(sql: Queryable, { from, to }: BlockRange, limit: number) {
  return sql`SELECT token, owner, token_id FROM changed_holdings(${from}, ${to}, ${limit})`;
}

/** Returns known holdings of tokens with consecutive transfers from or to their owners in a range (ERC-2309). */
export function holdingsMovedTogether(sql: Queryable, range: BlockRange) {
  return sql`
    SELECT DISTINCT held.token, held.owner FROM (${partiesOfConsecutiveTransfers(sql, range)}) AS parties
    JOIN tokens ON tokens.address = parties.token AND standard <> 1155
    JOIN token_balances AS held ON ${isHolding(sql, sql`held`, sql`parties.token`, sql`parties.party`)}`;
}

/** Returns whether the index has all transfers of the chain. */
export function allTransfersKnown(sql: Queryable): Fragment {
  return sql`(SELECT start_block = 0 FROM sync_state)`;
}
