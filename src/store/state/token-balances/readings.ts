import { UINT256_MAXIMUM } from "../../../core/evm/uint256.ts";
import { type Fragment, type Queryable, type Transaction, tableOf } from "../../../db/client.ts";
import { hasKey } from "../../index-keys.ts";
import { READ_AGAIN_MAXIMUM } from "../../writer/chain.ts";
import { disagreement, isUnheld, keepsUnheld, listStaleHoldings } from "../tokens/marks.ts";
import type { SignedRange } from "../tokens/signs.ts";
import { type ContractScope, inScope } from "../tokens/state.ts";
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

/** A holding to read. */
export interface HoldingToRead extends HoldingKey {
  /** True if the contract's answer must equal the transfers; false at a first read when earlier transfers are unknown. */
  addsUp: boolean;
}

export interface HoldingAmount extends HoldingToRead {
  /** Null: the contract does not answer, and the amount is the sum of the transfers, or 0 if that is out of range. */
  amount: bigint | null;
}

/** Most holdings named by signs that are read with their block; the others are read later. */
const NAMED_MAXIMUM = 500;

/** Lists holdings that recorded blocks may have changed, and those of irregular tokens; before a roll-back also those read in it. */
export function listTouchedHoldings(sql: Queryable, range: SignedRange) {
  const named = range.signs?.keys.slice(0, NAMED_MAXIMUM) ?? [];
  return sql<HoldingToRead[]>`
    WITH changed AS MATERIALIZED (${changes(sql, range)})
    SELECT touched.token, touched.owner, touched.token_id,
      ${allTransfersKnown(sql)} OR coalesce(
        (SELECT block_number FROM token_id_balances AS ids
          WHERE (ids.token, ids.owner, ids.token_id) = (touched.token, touched.owner, touched.token_id) LIMIT 1),
        (SELECT block_number FROM token_balances AS wholes
          WHERE ${isHolding(sql, sql`wholes`, sql`touched.token`, sql`touched.owner`)} AND touched.token_id IS NULL LIMIT 1)
      ) IS NOT NULL AS adds_up
    FROM (
      SELECT token, owner, token_id FROM changed
      UNION
      SELECT token, owner, NULL::numeric FROM changed JOIN tokens ON address = token
        WHERE token_id IS NOT NULL AND standard <> 1155
      UNION
      SELECT token, owner, NULL::numeric FROM token_balances
        WHERE amount > 0 AND token IN (${irregularTokensMoved(sql, range)})
      UNION
      SELECT token, owner, NULL::numeric FROM (${holdingsMovedTogether(sql, range)}) AS together
      UNION
      SELECT * FROM ${tableOfKeys(sql, named)}
      UNION
      ${changedHoldings(sql, range, READ_AGAIN_MAXIMUM)}
      UNION
      (SELECT token, owner, token_id FROM token_id_balances
        WHERE block_number >= ${range.from} ORDER BY block_number LIMIT ${READ_AGAIN_MAXIMUM})
      UNION
      (SELECT token, owner, NULL::numeric FROM token_balances AS whole
        WHERE block_number >= ${range.from} AND NOT EXISTS (
          SELECT 1 FROM token_id_balances AS ids WHERE ids.token = whole.token AND ids.owner = whole.owner)
        ORDER BY block_number LIMIT ${READ_AGAIN_MAXIMUM})
    ) AS touched
    ORDER BY 1, 2, 3`;
}

/** Writes amounts at a block, and holder counts. A difference from the transfers marks a token as irregular. */
export async function writeHoldings(
  sql: Transaction,
  blockNumber: number,
  amounts: readonly HoldingAmount[],
): Promise<void> {
  const byId = amounts.filter((row) => row.tokenId !== null);
  await Promise.all([
    writeIds(sql, blockNumber, byId),
    writeWholes(sql, blockNumber, amounts),
    dropUnheld(sql, amounts),
  ]);
}

/** Most holdings of 0 without transfers that are kept of a token. */
const MOST_UNHELD = 64;

/** Deletes holdings named by signs that are 0; marked tokens with few holders keep some, which may grow without an event. */
async function dropUnheld(sql: Transaction, amounts: readonly HoldingAmount[]): Promise<void> {
  const zeros = amounts.filter(({ amount }) => !amount);
  if (zeros.length === 0) return;
  const keys = tableOfKeys(sql, zeros);
  const isDropped = sql`${isUnheld(sql)} AND held.block_number IS NOT NULL`;
  await Promise.all([
    sql`
      DELETE FROM token_id_balances AS held USING ${keys}
      WHERE held.token = key.token AND held.owner = key.owner AND held.token_id = key.token_id AND ${isDropped}`,
    sql`
      DELETE FROM token_balances AS held USING ${keys}
      WHERE ${isHolding(sql, sql`held`, sql`key.token`, sql`key.owner`)} AND ${isDropped}
        AND NOT EXISTS (
          SELECT FROM tokens WHERE address = key.token AND ${keepsUnheld(sql)} AND ${MOST_UNHELD}::int >= (
            SELECT count(*) FROM token_balances AS held
            WHERE ${hasKey(sql, [sql`held.token`, sql`tokens.address`])} AND ${isUnheld(sql)}))`,
  ]);
}

/** Returns the sum of transfers to store beside an amount: null where both are equal, unless the holding has no transfer. */
function keptSum(sql: Queryable, sum: Fragment, amount: Fragment): Fragment {
  return sql`CASE WHEN held.amount = 0 AND held.transferred_amount = 0 THEN 0 ELSE nullif(${sum}, ${amount}) END`;
}

async function writeIds(sql: Transaction, blockNumber: number, byId: readonly HoldingAmount[]) {
  if (byId.length === 0) return;
  await sql`
    UPDATE token_id_balances AS held
    SET amount = coalesce(news.amount, ${acceptedAmount(sql)}),
      transferred_amount = ${keptSum(sql, transferredAmount(sql), sql`coalesce(news.amount, ${acceptedAmount(sql)})`)},
      block_number = ${blockNumber}
    FROM ${tableOf(sql, "news", byId, { token: "bytea", owner: "bytea", tokenId: "numeric", amount: "numeric" })}
    WHERE held.token = news.token AND held.owner = news.owner AND held.token_id = news.token_id`;
}

/** Writes whole holdings, after `writeIds`, whose amounts they sum. */
async function writeWholes(
  sql: Transaction,
  blockNumber: number,
  amounts: readonly HoldingAmount[],
): Promise<void> {
  if (amounts.length === 0) return;
  const ofHolding = { token: "bytea", owner: "bytea", tokenId: "numeric" };
  const keys = tableOf(sql, "key", amounts, { ...ofHolding, amount: "numeric", addsUp: "int2" });
  await sql`
    WITH news AS (
      SELECT key.token, key.owner, max(key.amount) FILTER (WHERE key.token_id IS NULL) AS amount,
        min(key.adds_up) = 1 AS adds_up, bool_or(key.token_id IS NULL) AS of_whole
      FROM ${keys}
      GROUP BY key.token, key.owner
    ), read AS (
      SELECT held.token, held.owner, news.adds_up, held.amount AS before, tokens.stale_block,
        ${transferredAmount(sql)} AS transferred_amount,
        coalesce(ids.amount, CASE WHEN tokens.standard = 1155 THEN 0 END, news.amount, ${acceptedAmount(sql)}) AS amount,
        coalesce(NOT ids.pending, true) AS complete
      FROM news JOIN token_balances AS held ON ${isHolding(sql, sql`held`, sql`news.token`, sql`news.owner`)}
      JOIN tokens ON tokens.address = held.token
      CROSS JOIN LATERAL (
        SELECT sum(amount) AS amount, bool_or(block_number IS NULL) AS pending FROM token_id_balances
        WHERE tokens.standard = 1155 AND token = held.token AND owner = held.owner
      ) AS ids
      WHERE news.of_whole OR ids.amount IS NOT NULL
    ), written AS (
      UPDATE token_balances AS held SET amount = read.amount,
        transferred_amount = ${keptSum(sql, sql`read.transferred_amount`, sql`read.amount`)},
        block_number = CASE WHEN read.complete THEN ${blockNumber}::bigint END
      FROM read WHERE ${isHolding(sql, sql`held`, sql`read.token`, sql`read.owner`)}
        AND (held.amount <> read.amount OR held.block_number IS NULL OR held.block_number < read.stale_block)
    )
    UPDATE tokens SET holder_count = holder_count + counted.change,
      ${disagreement(sql, "holding", blockNumber, sql`counted.irregular`)}
    FROM (
      SELECT token, sum((amount > 0)::int - (before > 0)::int) AS change, bool_or(adds_up AND amount <> before) AS irregular
      FROM read GROUP BY token
    ) AS counted
    WHERE tokens.address = counted.token AND (counted.change <> 0 OR counted.irregular)`;
}

/** Sums a holding's transfers, since its contract's first answer where earlier ones are unknown. */
function transferredAmount(sql: Queryable): Fragment {
  return sql`CASE WHEN ${allTransfersKnown(sql)} THEN coalesce(held.transferred_amount, held.amount) ELSE held.amount END`;
}

/** Returns the amount of a holding `held` without an answer of the contract. */
function acceptedAmount(sql: Queryable): Fragment {
  return sql`CASE WHEN ${transferredAmount(sql)} BETWEEN 0 AND ${UINT256_MAXIMUM}::numeric
    THEN ${transferredAmount(sql)} ELSE 0 END`;
}

/** Lists up to `limit` holdings to read, then those of tokens read as a whole, in table order: neighbours are rewritten together. */
export async function listPendingHoldings(sql: Queryable, scope: ContractScope, limit: number) {
  const condition = sql`block_number IS NULL AND ${inScope(sql, "token", scope)}`;
  const ids = await sql<HoldingToRead[]>`
    SELECT token, owner, token_id, ${allTransfersKnown(sql)} AS adds_up FROM token_id_balances
    WHERE ${condition} ORDER BY block_number LIMIT ${limit}`;
  if (ids.length > 0) return ids;
  const wholes = await sql<HoldingToRead[]>`
    SELECT token, owner, NULL AS token_id, ${allTransfersKnown(sql)} AS adds_up FROM token_balances
    WHERE ${condition} ORDER BY block_number LIMIT ${limit}`;
  if (wholes.length > 0) return wholes;
  const stale = await listStaleHoldings(sql, inScope(sql, "address", scope), limit);
  return stale.map((key) => ({ ...key, addsUp: true }));
}

/** Selects pending holdings. */
export function selectPendingHoldings(sql: Queryable) {
  return sql`SELECT FROM token_balances WHERE block_number IS NULL`;
}
