import { type Address, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import {
  type Fragment,
  firstRow,
  pluck,
  type Queryable,
  type Transaction,
  tableOf,
} from "../../../db/client.ts";
import { hasKey } from "../../index-keys.ts";
import { inPublishedBlocks } from "../../lists/page.ts";
import { onSide } from "../../lists/parties.ts";
import { type HoldingKey, isHolding, tableOfKeys } from "../token-balances/moved.ts";
import {
  addressesIn,
  FEW_HOLDERS,
  FORMER_HOLDERS,
  firstIds,
  SIGN_BYTES,
  type SignedRange,
} from "./signs.ts";

// A token whose contract disagrees with its transfers is marked (`irregular`): it is read on
// request, and all its holdings are read in full passes (`stale_block`), until enough consecutive
// passes agree.

/** Why a token is marked. */
export type MarkReason = "holding" | "supply" | "standard" | "code" | "audit" | "flood";

const AGREEMENTS = 3;
/** Holdings of one token read again per second, on average. */
const PACE = 500;
/** Shortest time between two full passes of a token, in seconds. */
const REST_S = 10;

/** Returns the time of a token's next full pass. */
function nextPass(sql: Queryable): Fragment {
  return sql`coalesce(tokens.stale_since, greatest(now(),
    tokens.swept_at + interval '1 second' * greatest(${REST_S}::int, tokens.holder_count / ${PACE}::int)))`;
}

/**
 * Returns assignments that mark a differing token under a condition; the facts of a marked one are not read again. With few holders
 * its logs are searched for accounts again: one that held nothing may hold something now.
 */
export function disagreement(
  sql: Queryable,
  reason: MarkReason,
  blockNumber: number,
  condition = sql`true`,
): Fragment {
  const assigned = (column: string, value: Fragment) =>
    sql`${sql(column)} = CASE WHEN ${condition} THEN ${value} ELSE tokens.${sql(column)} END`;
  return sql`${assigned("irregular", sql`true`)}, ${assigned("agreements", sql`0`)},
    ${assigned("mark_reason", sql`CASE WHEN tokens.irregular THEN tokens.mark_reason ELSE ${reason} END`)},
    ${assigned("stale_block", sql`coalesce(tokens.stale_block, ${blockNumber}::bigint)`)},
    ${assigned("stale_since", nextPass(sql))},
    ${assigned("unnamed_from", sql`CASE WHEN tokens.irregular OR tokens.holder_count > ${FEW_HOLDERS} THEN tokens.unnamed_from ELSE 0 END`)},
    ${assigned("supply_due", sql`CASE WHEN tokens.irregular THEN tokens.supply_due ELSE '-infinity' END`)},
    ${assigned("metadata_due", sql`CASE WHEN tokens.irregular THEN tokens.metadata_due ELSE '-infinity' END`)}`;
}

/** Marks tokens, and starts their full passes. */
export async function markTokens(
  sql: Transaction,
  tokens: readonly Address[],
  reason: MarkReason,
  blockNumber: number,
): Promise<void> {
  if (tokens.length === 0) return;
  await sql`
    UPDATE tokens SET ${disagreement(sql, reason, blockNumber)}
    WHERE address = ANY (${[...tokens]}::bytea[])`;
}

/** Marks signed tokens' supplies to be read, and facts and holdings that the keys do not cover after odd calls or logs. */
export async function markSigned(sql: Transaction, { from, to, signs }: SignedRange) {
  if (!signs || signs.tokens.length === 0) return;
  const { tokens } = signs;
  const isRange = from !== to;
  await sql`
    UPDATE tokens SET supply_block = NULL,
      metadata_due = CASE WHEN sign.odd
        THEN least(tokens.metadata_due, tokens.metadata_read_at + interval '10 seconds') ELSE tokens.metadata_due END,
      irregular = tokens.irregular OR sign.flooding,
      mark_reason = CASE WHEN sign.flooding AND NOT tokens.irregular THEN 'flood' ELSE tokens.mark_reason END,
      stale_block = CASE WHEN ${spreads(sql, isRange)} THEN ${to}::bigint ELSE tokens.stale_block END,
      stale_since = CASE WHEN ${spreads(sql, isRange)} THEN ${nextPass(sql)} ELSE tokens.stale_since END
    FROM ${tableOf(sql, "numbers", tokens, { token: "bytea", odd: "int2", flooding: "int2", whole: "int2" })}
    CROSS JOIN LATERAL (SELECT odd = 1 AS odd, flooding = 1 AS flooding, whole = 1 AS whole) AS sign
    WHERE tokens.address = numbers.token`;
}

function spreads(sql: Queryable, isRange: boolean): Fragment {
  return sql`(NOT sign.whole AND (sign.odd OR ${isRange})
    AND (tokens.irregular OR sign.flooding OR tokens.agreements < ${AGREEMENTS}::int))`;
}

/** Returns the condition that a holding `held` of `tokens` was last read before the mark. */
function isStale(sql: Queryable): Fragment {
  return sql`held.block_number < tokens.stale_block`;
}

/** Returns tokens due for a full pass now, those of an earlier version last. */
function dueTokens(sql: Queryable): Fragment {
  return sql`
    SELECT address FROM tokens WHERE stale_block IS NOT NULL AND stale_since <= now() AND NOT unresponsive
    ORDER BY (stale_since = '-infinity'), stale_since LIMIT 20`;
}

/** Returns the condition that a holding `held` is 0, and without transfers. */
export function isUnheld(sql: Queryable): Fragment {
  return sql`(held.amount = 0 AND held.transferred_amount = 0)`;
}

/** Returns the condition that the marked `tokens` have so few holders that accounts without an amount are read again, too. */
export function keepsUnheld(sql: Queryable): Fragment {
  return sql`(tokens.irregular AND tokens.holder_count <= ${FEW_HOLDERS})`;
}

/** Returns holdings of tokens in a full pass, at most about `limit`: those above 0, and kept ones without an amount. */
export async function listStaleHoldings(sql: Queryable, scope: Fragment, limit: number) {
  return sql<HoldingKey[]>`
    WITH due AS MATERIALIZED (
      SELECT address, standard, stale_block, holder_count, irregular FROM tokens
      WHERE address IN (${dueTokens(sql)}) AND ${scope}
    )
    SELECT held.* FROM due AS tokens CROSS JOIN LATERAL (
      (SELECT held.token, held.owner, NULL::numeric AS token_id FROM token_balances AS held
        WHERE ${hasKey(sql, [sql`held.token`, sql`tokens.address`])} AND ${isStale(sql)} AND amount > 0 LIMIT ${limit})
      UNION ALL
      (SELECT held.token, held.owner, NULL FROM token_balances AS held
        WHERE ${keepsUnheld(sql)} AND ${hasKey(sql, [sql`held.token`, sql`tokens.address`])}
          AND ${isStale(sql)} AND ${isUnheld(sql)} LIMIT ${limit})
      UNION ALL
      (SELECT held.token, held.owner, held.token_id FROM token_id_balances AS held
        WHERE tokens.standard = 1155 AND held.token = tokens.address AND ${isStale(sql)} LIMIT ${limit})
    ) AS held LIMIT ${limit}`;
}

/** Ends the passes of tokens without stale holdings; returns whether there were any. Enough agreement in a row ends a mark. */
export async function endPasses(sql: Transaction): Promise<boolean> {
  const ended = await sql`
    UPDATE tokens SET stale_block = NULL, stale_since = NULL, swept_at = now(),
      agreements = least(agreements + 1, ${AGREEMENTS}::int),
      irregular = irregular AND agreements + 1 < ${AGREEMENTS}::int,
      mark_reason = CASE WHEN irregular AND agreements + 1 < ${AGREEMENTS}::int THEN mark_reason END
    WHERE address IN (${dueTokens(sql)})`;
  return ended.count > 0;
}

/** Starts another pass of marked tokens whose last one was a minute ago, or longer with many holders. */
export async function repeatPasses(sql: Transaction, blockNumber: number): Promise<void> {
  await sql`
    UPDATE tokens SET stale_block = ${blockNumber}, stale_since = now(), supply_block = NULL
    WHERE irregular AND stale_block IS NULL
      AND swept_at < now() - greatest(interval '1 minute', interval '4 seconds' * (holder_count / ${PACE}::int))`;
}

/** Marked tokens, for the health report. */
export interface TokenMarks {
  marked: Record<string, number>;
  /** Number of tokens in a full pass. */
  stale: number;
  /** Age of the oldest such pass in seconds; null without one, or if an earlier version began it. */
  oldestSeconds: number | null;
}

/** Counts the marked tokens. */
export async function countMarks(sql: Queryable): Promise<TokenMarks> {
  const [rows, [stale]] = await Promise.all([
    sql<{ reason: string; count: number }[]>`
      SELECT coalesce(mark_reason, 'holding') AS reason, count(*)::int FROM tokens WHERE irregular GROUP BY 1`,
    sql<[{ count: number; oldestSeconds: number | null }]>`
      SELECT count(*)::int,
        max(extract(epoch FROM now() - stale_since)) FILTER (WHERE stale_since BETWEEN '-infinity' AND now()
          AND isfinite(stale_since))::int AS oldest_seconds
      FROM tokens WHERE stale_block IS NOT NULL`,
  ]);
  const marked = Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
  return { marked, stale: stale.count, oldestSeconds: stale.oldestSeconds };
}

/** Most owners of ids added per step. */
const GIVEN_MAXIMUM = 20_000;

/** A token with unread earlier logs that may name holders. */
export interface UnnamedToken {
  address: Address;
  unnamedFrom: number;
  standard: number;
}

/** Returns such a token; undefined where there is none. */
export function getUnnamedToken(sql: Queryable) {
  return firstRow(sql<UnnamedToken[]>`
    SELECT address, coalesce(unnamed_from, 0) AS unnamed_from, standard FROM tokens WHERE unnamed_from IS NOT NULL ORDER BY address LIMIT 1`);
}

/** Reads the accounts in the next logs of a token and in calls of it, and the block to continue from; null at their end. */
export async function listNamedByLogs(
  sql: Queryable,
  { address, unnamedFrom, standard }: UnnamedToken,
  limit: number,
): Promise<{ owners: Address[]; next: number | null }> {
  // Accounts alone do not show which ids they hold (`writeNamed`).
  if (standard === 1155) return { owners: [], next: null };
  const next = sql`block_number >= ${unnamedFrom} AND ${inPublishedBlocks(sql)} ORDER BY block_number LIMIT ${limit}`;
  const rows = await sql<{ blockNumber: number; caller: Address | null; words: Hex }[]>`
    SELECT * FROM (
      (SELECT block_number, NULL::bytea AS caller,
          coalesce(topic1, '') || coalesce(topic2, '') || coalesce(topic3, '') || substr(data, 1, ${SIGN_BYTES}) AS words
        FROM logs WHERE address = ${address} AND ${next})
      UNION ALL
      (SELECT called.block_number, sent.from_address, CASE WHEN status = 0 THEN '' ELSE substr(input, 5, ${SIGN_BYTES}) END
        FROM (
          SELECT block_number, transaction_index FROM address_transactions
          WHERE address = ${address} ${onSide(sql, "to")} AND ${next}
        ) AS called CROSS JOIN LATERAL transaction_at(called.block_number, called.transaction_index) AS sent)
    ) AS named ORDER BY block_number LIMIT ${limit}`;
  const last = rows.at(-1)?.blockNumber;
  const named = rows.flatMap(({ caller, words }) => [caller ?? [], addressesIn(words)].flat());
  const owners = [...new Set(named)];
  if (rows.length < limit || last === undefined) return { owners, next: null };
  return { owners, next: last === unnamedFrom ? last + 1 : last };
}

/** Adds possible holdings of accounts as pending, and stores the progress in the logs; for ERC-1155 by ERC-721's transfers. */
export async function writeNamed(
  sql: Transaction,
  { address, standard }: UnnamedToken,
  owners: readonly Address[],
  next: number | null,
): Promise<void> {
  const given = await sql<HoldingKey[]>`
    SELECT token, owner, token_id FROM nft_owners
    WHERE ${standard}::int = 1155 AND token = ${address} AND owner <> ${ZERO_ADDRESS} LIMIT ${GIVEN_MAXIMUM}`;
  const named = owners.map((owner) => ({ token: address, owner, tokenId: null }));
  await addUnmoved(sql, [...given, ...named]);
  await sql`UPDATE tokens SET unnamed_from = ${next} WHERE address = ${address}`;
}

/** Adds pending holdings without transfers; most of those of 0 are deleted after their read (`writeHoldings`). */
export async function addUnmoved(sql: Transaction, keys: readonly HoldingKey[]): Promise<void> {
  if (keys.length === 0) return;
  const named = tableOfKeys(sql, keys);
  await Promise.all([
    sql`
      INSERT INTO token_balances (token, owner, amount, transferred_amount)
      SELECT DISTINCT key.token, key.owner, 0, 0 FROM ${named}
      WHERE NOT EXISTS (SELECT FROM token_balances AS held
        WHERE ${isHolding(sql, sql`held`, sql`key.token`, sql`key.owner`)})`,
    sql`
      INSERT INTO token_id_balances (token, owner, token_id, amount, transferred_amount)
      SELECT DISTINCT key.token, key.owner, key.token_id, 0, 0 FROM ${named}
      WHERE key.token_id IS NOT NULL AND NOT EXISTS (SELECT FROM token_id_balances AS held
        WHERE held.token = key.token AND held.owner = key.owner AND held.token_id = key.token_id)`,
  ]);
}

/** Returns up to `limit` responsive tokens, in the order of their addresses after one. */
export function listNextTokens(sql: Queryable, after: Address, limit: number) {
  return pluck(sql<{ address: Address }[]>`
    SELECT address FROM tokens WHERE address > ${after} AND NOT unresponsive ORDER BY address LIMIT ${limit}`);
}

/** Sampled holdings of a token with many holders. */
const SAMPLED_HOLDERS = 16;
/** Sampled pairs of an account and an id of an ERC-1155 token with few holders, others each time: no event may name them together. */
const SAMPLED_PAIRS = 256;

/** Returns known holdings of tokens: all where there are few, else the largest and some others. */
export function listSampledHoldings(sql: Queryable, tokens: readonly Address[]) {
  return sql<HoldingKey[]>`
    SELECT held.* FROM (
      SELECT address, standard, holder_count,
        CASE WHEN holder_count <= ${FEW_HOLDERS} THEN ${FEW_HOLDERS}::int ELSE ${SAMPLED_HOLDERS}::int END AS many
      FROM tokens WHERE address = ANY (${[...tokens]}::bytea[])
    ) AS tokens CROSS JOIN LATERAL (
      (SELECT token, owner, NULL::numeric AS token_id FROM token_balances AS held
        WHERE tokens.standard <> 1155 AND ${hasKey(sql, [sql`held.token`, sql`tokens.address`])} AND amount > 0
          AND block_number IS NOT NULL
        ORDER BY amount DESC, owner DESC LIMIT many)
      UNION
      (SELECT token, owner, NULL FROM token_balances AS held
        WHERE tokens.standard <> 1155 AND held.token = tokens.address AND block_number IS NOT NULL
          AND (holder_count <= ${FEW_HOLDERS} OR owner > decode(md5(random()::text), 'hex')) LIMIT many)
      UNION
      (SELECT token, owner, token_id FROM token_id_balances AS held
        WHERE tokens.standard = 1155 AND held.token = tokens.address AND block_number IS NOT NULL LIMIT many)
      UNION
      (SELECT tokens.address, party.owner, known.token_id FROM (
          (SELECT owner FROM token_balances AS held
            WHERE ${hasKey(sql, [sql`held.token`, sql`tokens.address`])} AND amount > 0 LIMIT ${FEW_HOLDERS})
          UNION ALL
          (SELECT owner FROM token_balances AS held
            WHERE held.token = tokens.address AND amount <= 0 LIMIT ${FORMER_HOLDERS})
        ) AS party CROSS JOIN LATERAL ${firstIds(sql, sql`tokens.address`)} AS known
        WHERE tokens.standard = 1155 AND holder_count <= ${FEW_HOLDERS}
        ORDER BY random() LIMIT ${SAMPLED_PAIRS})
    ) AS held`;
}
