import { type Address, ZERO_ADDRESS } from "../../core/address.ts";
import { UINT256_MAXIMUM } from "../../core/uint256.ts";
import type { Fragment, Queryable, Transaction } from "../../db/client.ts";
import { type BlockRange, inRange, READ_AGAIN_MAXIMUM } from "../chain.ts";
import { listChangedTokens } from "../tokens/changed-tokens.ts";
import { type ContractScope, inScope } from "../tokens/state.ts";

/** Names a holding. `tokenId` (decimal text) is for ERC-1155 only; null means the holding as a whole. */
interface HoldingKey {
  token: Address;
  owner: Address;
  tokenId: string | null;
}

/** A holding that is to be read. */
export interface HoldingToRead extends HoldingKey {
  /**
   * Whether the transfers must add up to the contract's answer. They need not where transfers before the first block
   * are unknown and the holding is read for the first time.
   */
  addsUp: boolean;
}

export interface HoldingAmount extends HoldingToRead {
  /** Null: the contract does not answer, and the amount is the sum of the transfers, or 0 where nobody can hold that. */
  amount: bigint | null;
}

/**
 * All holdings of irregular tokens in a range are read again, the tokens with the fewest holders first, up to so many
 * holders together.
 */
const IRREGULAR_HOLDERS_MAXIMUM = 1_000;

/**
 * So many holdings are marked as "to be read" when other code answers for their tokens: the head waits a second for that.
 * Where one of them is another than before, the token is irregular, and so are all of it.
 */
const CHANGED_HOLDINGS_MAXIMUM = 20_000;

/** The changes of holdings by the transfers of a range: one row for each token, owner and, for ERC-1155, id. */
function changes(sql: Queryable, range: BlockRange) {
  // An ERC-721 transfer moves one token. The id side of ERC-404 moves nothing that is counted here.
  return sql`
    SELECT token, side.owner, CASE WHEN standard = 1155 THEN token_id END AS token_id,
      sum(side.sign * CASE standard WHEN 721 THEN 1 ELSE coalesce(amount, 0) END) AS change
    FROM token_transfers
    CROSS JOIN LATERAL (VALUES (from_address, -1), (to_address, 1)) AS side (owner, sign)
    WHERE ${inRange(sql, range)} AND side.owner <> ${ZERO_ADDRESS}
    GROUP BY token, side.owner, CASE WHEN standard = 1155 THEN token_id END`;
}

/**
 * Holdings that the recorded blocks of a range may have changed, with all holdings above 0 of irregular tokens that it
 * moved, and the largest of changed ones. For a published range that is about to be rolled back, also those that were
 * read in it: they may have changed without events.
 */
export async function listTouchedHoldings(
  sql: Queryable,
  range: BlockRange,
): Promise<HoldingToRead[]> {
  // In a statement of its own: on several servers none may also read rows that are spread.
  const changed = await listChangedTokens(sql, range);
  const ofChanged = await sql<HoldingKey[]>`
    SELECT token, owner, token_id FROM (${changedHoldings(sql, changed, READ_AGAIN_MAXIMUM)}) AS held`;
  return sql<HoldingToRead[]>`
    WITH changed AS MATERIALIZED (${changes(sql, range)})
    SELECT touched.token, touched.owner, touched.token_id,
      ${allTransfersKnown(sql)} OR coalesce(ids.block_number, wholes.block_number) IS NOT NULL AS adds_up
    FROM (
      SELECT token, owner, token_id FROM changed
      UNION
      SELECT token, owner, NULL::numeric FROM changed JOIN tokens ON address = token
        WHERE token_id IS NOT NULL AND standard <> 1155
      UNION
      SELECT token, owner, NULL::numeric FROM token_balances
        WHERE amount > 0 AND token IN (${irregularTokensMoved(sql, range)})
      UNION
      SELECT * FROM unnest(${ofChanged.map((key) => key.token)}::bytea[],
        ${ofChanged.map((key) => key.owner)}::bytea[], ${ofChanged.map((key) => key.tokenId)}::numeric[])
      UNION
      (SELECT token, owner, token_id FROM token_id_balances
        WHERE block_number >= ${range.from} ORDER BY block_number LIMIT ${READ_AGAIN_MAXIMUM})
      UNION
      (SELECT token, owner, NULL::numeric FROM token_balances AS whole
        WHERE block_number >= ${range.from} AND NOT EXISTS (
          SELECT 1 FROM token_id_balances AS ids WHERE ids.token = whole.token AND ids.owner = whole.owner)
        ORDER BY block_number LIMIT ${READ_AGAIN_MAXIMUM})
    ) AS touched
    LEFT JOIN token_id_balances AS ids USING (token, owner, token_id)
    LEFT JOIN token_balances AS wholes
      ON wholes.token = touched.token AND wholes.owner = touched.owner AND touched.token_id IS NULL
    ORDER BY 1, 2, 3`;
}

function allTransfersKnown(sql: Queryable) {
  return sql`(SELECT start_block = 0 FROM sync_state)`;
}

/** Irregular tokens that a range moved. */
function irregularTokensMoved(sql: Queryable, range: BlockRange) {
  return sql`
    SELECT address FROM (
      SELECT address, sum(holder_count) OVER (ORDER BY holder_count, address) AS holders FROM tokens
      WHERE standard <> 1155 AND irregular
        AND address IN (SELECT token FROM token_transfers WHERE ${inRange(sql, range)})
    ) AS moved
    WHERE holders <= ${IRREGULAR_HOLDERS_MAXIMUM}`;
}

/**
 * Holdings above 0 of the tokens that other code answers for, at most `limit`: first those of tokens with few holders; of
 * one token the largest, where ids do not count.
 */
function changedHoldings(sql: Queryable, changed: readonly Address[], limit: number) {
  return sql`
    SELECT held.* FROM (
      SELECT address, standard FROM tokens WHERE address = ANY (${[...changed]}::bytea[])
      ORDER BY holder_count, address
    ) AS changed CROSS JOIN LATERAL (
      (SELECT token, owner, NULL::numeric AS token_id FROM token_balances
        WHERE standard <> 1155 AND token = changed.address AND amount > 0
        ORDER BY amount DESC, owner DESC LIMIT ${limit})
      UNION ALL
      (SELECT token, owner, token_id FROM token_id_balances
        WHERE standard = 1155 AND token = changed.address AND amount > 0
        ORDER BY owner, token_id LIMIT ${limit})
    ) AS held LIMIT ${limit}`;
}

/**
 * Applies a range to the holdings: adds what its transfers moved, and marks them as "to be read". Comes after
 * `applyTokens`, which makes the rows that hold the holder counts.
 */
export async function applyTokenBalances(sql: Transaction, range: BlockRange): Promise<void> {
  await forgetHoldings(sql, range);
  await addChanges(sql, range, 1);
}

/**
 * Undoes `applyTokenBalances` for a range at the end of the chain, and marks what was read at its blocks as "to be
 * read". Runs before the rows of the blocks are deleted, the returned function afterwards.
 */
export async function revertTokenBalances(
  sql: Transaction,
  range: BlockRange,
): Promise<() => Promise<void>> {
  const moved = await sql<HoldingKey[]>`
    SELECT token, owner, token_id FROM (${changes(sql, range)}) AS changed`;
  await forgetHoldings(sql, range);
  await sql`UPDATE token_balances SET block_number = NULL WHERE block_number >= ${range.from}`;
  await sql`UPDATE token_id_balances SET block_number = NULL WHERE block_number >= ${range.from}`;
  await addChanges(sql, range, -1);
  return () => deleteUnmovedHoldings(sql, moved);
}

/** Marks the holdings of irregular tokens that a range moved, and of changed ones. Comes before the holder counts change. */
async function forgetHoldings(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    UPDATE token_balances SET block_number = NULL
    WHERE block_number IS NOT NULL AND amount > 0 AND token IN (${irregularTokensMoved(sql, range)})`;
  const changed = await listChangedTokens(sql, range);
  if (changed.length === 0) return;
  await sql`
    WITH marked AS MATERIALIZED (${changedHoldings(sql, changed, CHANGED_HOLDINGS_MAXIMUM)}),
    ids AS (
      UPDATE token_id_balances AS held SET block_number = NULL FROM marked
      WHERE held.token = marked.token AND held.owner = marked.owner AND held.token_id = marked.token_id
        AND block_number IS NOT NULL
    )
    UPDATE token_balances AS held SET block_number = NULL
    FROM (SELECT DISTINCT token, owner FROM marked) AS wholes
    WHERE held.token = wholes.token AND held.owner = wholes.owner AND block_number IS NOT NULL`;
}

/** Deletes the holdings that have no transfers left. */
async function deleteUnmovedHoldings(
  sql: Transaction,
  moved: readonly HoldingKey[],
): Promise<void> {
  if (moved.length === 0) return;
  const tokens = moved.map((key) => key.token);
  const owners = moved.map((key) => key.owner);
  const tokenIds = moved.map((key) => key.tokenId);
  await sql`
    DELETE FROM token_id_balances AS held
    USING unnest(${tokens}::bytea[], ${owners}::bytea[], ${tokenIds}::numeric[]) AS key (token, owner, token_id)
    WHERE held.token = key.token AND held.owner = key.owner AND held.token_id = key.token_id
      AND ${mayBeUnmoved(sql)} AND NOT EXISTS (
        SELECT 1 FROM transfers_of_holding(held.owner, held.token) AS activity
        CROSS JOIN LATERAL token_transfer_at(activity.block_number, activity.log_index, activity.batch_index) AS transfer
        WHERE transfer.standard = 1155 AND transfer.token_id = held.token_id)`;
  await sql`
    WITH gone AS (
      DELETE FROM token_balances AS held
      USING (SELECT DISTINCT token, owner FROM unnest(${tokens}::bytea[], ${owners}::bytea[]) AS key (token, owner)) AS key
      WHERE held.token = key.token AND held.owner = key.owner
        AND ${mayBeUnmoved(sql)} AND NOT EXISTS (
          SELECT 1 FROM transfers_of_holding(held.owner, held.token))
      RETURNING held.token, held.amount
    )
    UPDATE tokens SET holder_count = holder_count - gone.count
    FROM (SELECT token, count(*) FROM gone WHERE amount > 0 GROUP BY token) AS gone
    WHERE address = gone.token`;
}

/** Whether a holding `held` may be without transfers, which costs less to tell than to look for one. */
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
      FROM wholes WHERE held.token = wholes.token AND held.owner = wholes.owner
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

/**
 * Writes the amounts of known holdings at a block, and keeps the holder counts. A token is marked irregular when its
 * contract's answer is not the sum of its transfers. The holding of an ERC-1155 token as a whole is the sum of its ids;
 * that of a token of another standard, which moves ids all the same, is written when it is given itself.
 */
export async function writeHoldings(
  sql: Transaction,
  blockNumber: number,
  amounts: readonly HoldingAmount[],
): Promise<void> {
  if (amounts.length === 0) return;
  const byId = amounts.filter((row) => row.tokenId !== null);
  if (byId.length > 0) {
    await sql`
      UPDATE token_id_balances AS held
      SET amount = coalesce(news.amount, ${believedAmount(sql)}),
        transferred_amount = nullif(${transferredAmount(sql)}, coalesce(news.amount, ${believedAmount(sql)})),
        block_number = ${blockNumber}
      FROM unnest(
        ${byId.map((row) => row.token)}::bytea[], ${byId.map((row) => row.owner)}::bytea[],
        ${byId.map((row) => row.tokenId)}::numeric[],
        ${byId.map((row) => row.amount?.toString() ?? null)}::numeric[]
      ) AS news (token, owner, token_id, amount)
      WHERE held.token = news.token AND held.owner = news.owner AND held.token_id = news.token_id`;
  }
  await sql`
    WITH news AS (
      SELECT key.token, key.owner, max(key.amount) FILTER (WHERE key.token_id IS NULL) AS amount,
        min(key.adds_up) = 1 AS adds_up, bool_or(key.token_id IS NULL) AS of_whole
      FROM unnest(
        ${amounts.map((row) => row.token)}::bytea[], ${amounts.map((row) => row.owner)}::bytea[],
        ${amounts.map((row) => row.amount?.toString() ?? null)}::numeric[],
        ${amounts.map((row) => row.tokenId)}::numeric[], ${amounts.map((row) => Number(row.addsUp))}::int2[]
      ) AS key (token, owner, amount, token_id, adds_up)
      GROUP BY key.token, key.owner
    ), read AS (
      SELECT held.token, held.owner, news.adds_up, held.amount AS before,
        ${transferredAmount(sql)} AS transferred_amount,
        coalesce(ids.amount, news.amount, ${believedAmount(sql)}) AS amount,
        coalesce(NOT ids.pending, true) AS complete
      FROM news JOIN token_balances AS held USING (token, owner)
      JOIN tokens ON tokens.address = held.token
      CROSS JOIN LATERAL (
        SELECT sum(amount) AS amount, bool_or(block_number IS NULL) AS pending FROM token_id_balances
        WHERE tokens.standard = 1155 AND token = held.token AND owner = held.owner
      ) AS ids
      WHERE news.of_whole OR ids.amount IS NOT NULL
    ), written AS (
      UPDATE token_balances AS held SET amount = read.amount,
        transferred_amount = nullif(read.transferred_amount, read.amount),
        block_number = CASE WHEN read.complete THEN ${blockNumber}::bigint END
      FROM read WHERE held.token = read.token AND held.owner = read.owner
    )
    UPDATE tokens SET
      holder_count = holder_count + counted.change,
      irregular = tokens.irregular OR counted.irregular
    FROM (
      SELECT token, sum((amount > 0)::int - (before > 0)::int) AS change, bool_or(adds_up AND amount <> before) AS irregular
      FROM read GROUP BY token
    ) AS counted
    WHERE tokens.address = counted.token AND (counted.change <> 0 OR counted.irregular)`;
}

/**
 * What the transfers of a holding `held` add up to; where those before the first block are unknown: since its contract
 * said what there was.
 */
function transferredAmount(sql: Queryable): Fragment {
  return sql`CASE WHEN ${allTransfersKnown(sql)} THEN coalesce(held.transferred_amount, held.amount) ELSE held.amount END`;
}

/** What is believed of a holding `held` of which the contract tells nothing. */
function believedAmount(sql: Queryable): Fragment {
  return sql`CASE WHEN ${transferredAmount(sql)} BETWEEN 0 AND ${UINT256_MAXIMUM}::numeric
    THEN ${transferredAmount(sql)} ELSE 0 END`;
}

/**
 * Holdings that are to be read, at most `limit`, in the order of the table: rows that stand together are written anew
 * together, and neither the table nor its indexes grow by it.
 */
export async function listPendingHoldings(
  sql: Queryable,
  scope: ContractScope,
  limit: number,
): Promise<HoldingToRead[]> {
  const condition = sql`block_number IS NULL AND ${inScope(sql, "token", scope)}`;
  const ids = await sql<HoldingToRead[]>`
    SELECT token, owner, token_id, ${allTransfersKnown(sql)} AS adds_up FROM token_id_balances
    WHERE ${condition} ORDER BY block_number LIMIT ${limit}`;
  if (ids.length > 0) return ids;
  return sql<HoldingToRead[]>`
    SELECT token, owner, NULL AS token_id, ${allTransfersKnown(sql)} AS adds_up FROM token_balances
    WHERE ${condition} ORDER BY block_number LIMIT ${limit}`;
}

/** The number of holdings that are to be read, counted up to `limit`. */
export async function countPendingHoldings(sql: Queryable, limit: number): Promise<number> {
  const [counted] = await sql<{ count: number }[]>`
    SELECT count(*) FROM (SELECT 1 FROM token_balances WHERE block_number IS NULL LIMIT ${limit}) AS pending`;
  return counted?.count ?? 0;
}
