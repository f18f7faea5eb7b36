import type { Fragment, Queryable, Transaction } from "../../../db/client.ts";
import type { BlockRange } from "../../writer/chain.ts";
import { addUnmoved } from "../tokens/marks.ts";
import type { SignedRange } from "../tokens/signs.ts";
import {
  allTransfersKnown,
  changedHoldings,
  changes,
  type HoldingKey,
  holdingsMovedTogether,
  irregularTokensMoved,
  isHolding,
  tableOfKeys,
} from "./moved.ts";

/** Most holdings marked when their token's code changes: a second for the head. If one differs, the token is marked, and all of them. */
const CHANGED_HOLDINGS_MAXIMUM = 20_000;

/** Adds a range's transfers to holdings and marks them as "to be read", after `applyTokens` made the holder counts. */
export async function applyTokenBalances(sql: Transaction, range: SignedRange): Promise<void> {
  await Promise.all([
    forgetHoldings(sql, range),
    addChanges(sql, range, 1),
    forgetNamed(sql, range.signs?.keys ?? []),
  ]);
}

/** Marks holdings named by signs, and adds those without transfers. */
async function forgetNamed(sql: Transaction, keys: readonly HoldingKey[]): Promise<void> {
  if (keys.length === 0) return;
  const named = tableOfKeys(sql, keys);
  await Promise.all([
    sql`
      UPDATE token_id_balances AS held SET block_number = NULL FROM ${named}
      WHERE held.token = key.token AND held.owner = key.owner AND held.token_id = key.token_id
        AND block_number IS NOT NULL`,
    sql`
      UPDATE token_balances AS held SET block_number = NULL FROM ${named}
      WHERE ${isHolding(sql, sql`held`, sql`key.token`, sql`key.owner`)} AND block_number IS NOT NULL`,
    addUnmoved(sql, keys),
  ]);
}

/** Undoes `applyTokenBalances` before the rows are deleted, and marks reads as pending; the returned function runs afterwards. */
export async function revertTokenBalances(sql: Transaction, range: SignedRange) {
  const moved = await sql<HoldingKey[]>`
    SELECT token, owner, token_id FROM (${changes(sql, range)}) AS changed`;
  await forgetHoldings(sql, range);
  await forgetNamed(sql, range.signs?.keys ?? []);
  await sql`UPDATE token_balances SET block_number = NULL WHERE block_number >= ${range.from}`;
  await sql`UPDATE token_id_balances SET block_number = NULL WHERE block_number >= ${range.from}`;
  await addChanges(sql, range, -1);
  return () => forgetUnmovedHoldings(sql, moved);
}

/** Marks moved holdings of irregular and changed tokens and of several ids at once, before holder counts change. */
async function forgetHoldings(sql: Transaction, range: BlockRange): Promise<void> {
  const ofIrregular = sql`
    UPDATE token_balances SET block_number = NULL
    WHERE block_number IS NOT NULL AND amount > 0 AND token IN (${irregularTokensMoved(sql, range)})`;
  const ofChanged = sql`
    WITH marked AS MATERIALIZED (${changedHoldings(sql, range, CHANGED_HOLDINGS_MAXIMUM)}),
    ids AS (
      UPDATE token_id_balances AS held SET block_number = NULL FROM marked
      WHERE held.token = marked.token AND held.owner = marked.owner AND held.token_id = marked.token_id
        AND block_number IS NOT NULL
    )
    UPDATE token_balances AS held SET block_number = NULL
    FROM (SELECT DISTINCT token, owner FROM marked) AS wholes
    WHERE ${isHolding(sql, sql`held`, sql`wholes.token`, sql`wholes.owner`)} AND block_number IS NOT NULL`;
  const ofMovedTogether = sql`
    UPDATE token_balances AS held SET block_number = NULL
    FROM (${holdingsMovedTogether(sql, range)}) AS moved
    WHERE ${isHolding(sql, sql`held`, sql`moved.token`, sql`moved.owner`)} AND block_number IS NOT NULL`;
  await Promise.all([ofIrregular, ofChanged, ofMovedTogether]);
}

/**
 * Marks holdings without remaining transfers as "to be read" and without transfers, since another event may have made them. A read of 0
 * deletes them later; those of unresponsive tokens are deleted at once.
 */
async function forgetUnmovedHoldings(sql: Transaction, moved: readonly HoldingKey[]) {
  if (moved.length === 0) return;
  const isUnmovedId = sql`held.token = key.token AND held.owner = key.owner AND held.token_id = key.token_id
    AND ${mayBeUnmoved(sql)} AND NOT EXISTS (
      SELECT 1 FROM transfers_of_holding(held.owner, held.token) AS activity
      CROSS JOIN LATERAL token_transfer_at(activity.block_number, activity.log_index, activity.batch_index) AS transfer
      WHERE transfer.standard = 1155 AND transfer.token_id = held.token_id)`;
  const isUnmoved = sql`${isHolding(sql, sql`held`, sql`key.token`, sql`key.owner`)}
    AND ${mayBeUnmoved(sql)} AND NOT EXISTS (SELECT 1 FROM transfers_of_holding(held.owner, held.token))`;
  const ids = tableOfKeys(sql, moved);
  const wholes = sql`(SELECT DISTINCT token, owner FROM ${ids}) AS key`;
  const isSilent = sql`held.token IN (SELECT address FROM tokens WHERE unresponsive)`;
  await sql`DELETE FROM token_id_balances AS held USING ${ids} WHERE ${isUnmovedId} AND ${isSilent}`;
  await sql`
    WITH gone AS (
      DELETE FROM token_balances AS held USING ${wholes} WHERE ${isUnmoved} AND ${isSilent}
      RETURNING held.token, held.amount
    )
    UPDATE tokens SET holder_count = holder_count - gone.count
    FROM (SELECT token, count(*) FROM gone WHERE amount > 0 GROUP BY token) AS gone
    WHERE address = gone.token`;
  await sql`
    UPDATE token_id_balances AS held SET transferred_amount = 0, block_number = NULL FROM ${ids} WHERE ${isUnmovedId}`;
  await sql`
    UPDATE token_balances AS held SET transferred_amount = 0, block_number = NULL FROM ${wholes} WHERE ${isUnmoved}`;
}

/** Returns whether a holding `held` may be without transfers, which costs less than a search for one. */
function mayBeUnmoved(sql: Queryable): Fragment {
  return sql`(coalesce(held.transferred_amount, held.amount) = 0 OR NOT ${allTransfersKnown(sql)})`;
}

async function addChanges(sql: Transaction, range: BlockRange, sign: 1 | -1): Promise<void> {
  await sql`
    WITH moved AS MATERIALIZED (${changes(sql, range)}),
    wholes AS MATERIALIZED (
      SELECT token, owner, ${sign}::int * sum(change) AS change FROM moved GROUP BY token, owner
      ORDER BY token, owner
    ), ids AS MATERIALIZED (
      SELECT token, owner, token_id, ${sign}::int * change AS change FROM moved
      WHERE token_id IS NOT NULL ORDER BY token, owner, token_id
    ), known_ids AS (
      UPDATE token_id_balances AS held SET amount = held.amount + change,
        transferred_amount = transferred_amount + change, block_number = NULL
      FROM ids WHERE held.token = ids.token AND held.owner = ids.owner AND held.token_id = ids.token_id
      RETURNING held.token, held.owner, held.token_id
    ), new_ids AS (
      INSERT INTO token_id_balances (token, owner, token_id, amount)
      SELECT * FROM ids WHERE NOT EXISTS (
        SELECT 1 FROM known_ids AS known
        WHERE known.token = ids.token AND known.owner = ids.owner AND known.token_id = ids.token_id)
    ), known AS (
      UPDATE token_balances AS held SET amount = held.amount + change,
        transferred_amount = transferred_amount + change, block_number = NULL
      FROM wholes WHERE ${isHolding(sql, sql`held`, sql`wholes.token`, sql`wholes.owner`)}
      RETURNING held.token, held.owner, amount, change
    ), new AS (
      INSERT INTO token_balances (token, owner, amount)
      SELECT * FROM wholes WHERE NOT EXISTS (
        SELECT 1 FROM known WHERE known.token = wholes.token AND known.owner = wholes.owner)
      RETURNING token, amount
    )
    UPDATE tokens SET holder_count = holder_count + counted.change
    FROM (
      SELECT token, sum(change) AS change FROM (
        SELECT token, (amount > 0)::int - (amount - change > 0)::int AS change FROM known
        UNION ALL
        SELECT token, (amount > 0)::int FROM new
      ) AS written GROUP BY token
    ) AS counted
    WHERE tokens.address = counted.token AND counted.change <> 0`;
}
