import { type Address, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import { UINT256_MAXIMUM } from "../../../core/evm/uint256.ts";
import { type Fragment, type Queryable, type Transaction, tableOf } from "../../../db/client.ts";
import { hasKey } from "../../index-keys.ts";
import type { TokenStandard } from "../../lists/token-transfers.ts";
import { type BlockRange, inRange, READ_AGAIN_MAXIMUM } from "../../writer/chain.ts";
import { partiesOfConsecutiveTransfers } from "../consecutive-transfers.ts";

import { disagreement, markSigned } from "./marks.ts";
import type { SignedRange } from "./signs.ts";

/** A token's metadata; null where its contract has no answer. */
export interface TokenMetadataRow {
  address: Address;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  standard: number;
  /** True if the contract returns any fact: then missing ones become null. Otherwise stored ones stay. */
  isDescribed: boolean;
}

export interface TokenSupplyRow {
  address: Address;
  /** In the smallest unit; null when the contract does not answer. */
  totalSupply: bigint | null;
}

/** Most reads of a missing fact: the first after 1 minute, each pause four times as long, up to 11 days; a transfer causes one sooner. */
const TRIES = 8;

/** Returns the time of the next read after `tries` reads. */
function dueAfter(sql: Queryable, tries: Fragment): Fragment {
  return sql`CASE WHEN ${tries} <= ${TRIES}::int
    THEN now() + interval '1 minute' * power(4, ${tries} - 1) END`;
}

/** Returns whether a fact of the token's standard is missing. */
function lacksMetadata(sql: Queryable): Fragment {
  return sql`(standard <> 1155
    AND (name IS NULL OR symbol IS NULL OR (decimals IS NULL AND standard <> 721)))`;
}

/** A token, and which parts to read. */
export interface TokenToRead {
  address: Address;
  metadata: boolean;
  supply: boolean;
  /** By the first event, or by the contract's last answer. */
  standard: TokenStandard;
}

/** Most tokens with signs whose supplies are read with their block; the others are read later. */
const SIGNED_SUPPLIES_MAXIMUM = 100;

/**
 * Lists tokens of a range and the parts to read: metadata if the token is new, has an event of another
 * standard, or was read a day ago; supply by `ofChangedSupply` or signs; both after changed code. Before
 * a roll-back also those read in the range.
 */
export async function listTouchedTokens(sql: Queryable, range: SignedRange) {
  const signed = range.signs?.tokens.slice(0, SIGNED_SUPPLIES_MAXIMUM) ?? [];
  return sql<TokenToRead[]>`
    WITH moved AS MATERIALIZED (${movedTokens(sql, range)}),
    touched AS MATERIALIZED (
      SELECT address, bool_or(metadata) AS metadata, bool_or(supply) AS supply FROM (
        SELECT token AS address, true AS metadata, false AS supply FROM moved
        WHERE NOT EXISTS (
            SELECT 1 FROM tokens WHERE address = token AND metadata_block < ${range.from}
              AND (moved.standard = tokens.standard OR moved.standard IS NULL OR tokens.standard = 404)
              AND metadata_read_at BETWEEN now()
                - CASE WHEN ${lacksMetadata(sql)} THEN interval '1 minute' ELSE interval '1 day' END AND now())
        UNION
        SELECT token, false, true FROM (${ofChangedSupply(sql)}) AS changed
        UNION
        SELECT address, false, true FROM tokens WHERE address = ANY (${signed.map(({ token }) => token)}::bytea[])
        UNION
        (SELECT address, true, true FROM tokens WHERE address IN (${changedCode(sql, range)})
          LIMIT ${READ_AGAIN_MAXIMUM})
        UNION
        (SELECT address, coalesce(metadata_block >= ${range.from}, false), coalesce(supply_block >= ${range.from}, false)
          FROM tokens WHERE greatest(metadata_block, supply_block) >= ${range.from}
          ORDER BY greatest(metadata_block, supply_block) LIMIT ${READ_AGAIN_MAXIMUM})
      ) AS touched
      GROUP BY address
    )
    SELECT touched.*, coalesce(tokens.standard, moved.standard, 20) AS standard FROM touched
    LEFT JOIN tokens USING (address) LEFT JOIN moved ON moved.token = touched.address
    ORDER BY address`;
}

/** Returns contracts whose code changed in a range (migrations/0170_changed_code.sql). */
function changedCode(sql: Queryable, { from, to }: BlockRange) {
  return sql`SELECT changed.address FROM changed_code(${from}, ${to}) AS changed`;
}

/** Returns moved tokens of a range: minted or burnt, by how much if known, and the first event's standard. */
function movedTokens(sql: Queryable, range: BlockRange) {
  return sql`
    SELECT token, bool_or(supplied) AS supplied, CASE WHEN bool_and(minted IS NOT NULL) THEN sum(minted) END AS minted,
      (array_agg(standard ORDER BY place) FILTER (WHERE standard IS NOT NULL))[1] AS standard
    FROM (
      SELECT token, from_address = ${ZERO_ADDRESS} OR to_address = ${ZERO_ADDRESS} AS supplied,
        ((from_address = ${ZERO_ADDRESS})::int - (to_address = ${ZERO_ADDRESS})::int)
          * CASE standard WHEN 721 THEN 1 ELSE coalesce(amount, 0) END AS minted,
        standard, ARRAY[block_number, log_index, batch_index] AS place
      FROM token_transfers WHERE ${inRange(sql, range)}
      UNION ALL
      SELECT token, party = ${ZERO_ADDRESS}, NULL, NULL, NULL FROM (${partiesOfConsecutiveTransfers(sql, range)}) AS parties
      WHERE token IN (SELECT address FROM tokens)
    ) AS moved
    GROUP BY token`;
}

/** Selects the tokens of `moved` whose supply may have changed: new, minted or burnt, or irregular. */
function ofChangedSupply(sql: Queryable) {
  return sql`
    SELECT token FROM moved
      LEFT JOIN tokens ON tokens.address = token
      WHERE supplied OR tokens.supply_block IS NULL OR tokens.irregular
        OR (tokens.total_supply IS NULL
          AND coalesce(tokens.supply_read_at NOT BETWEEN now() - interval '1 minute' AND now(), true))`;
}

/** Adds a range's tokens and marks changed supplies as "to be read". Replaced code loses its facts; a replaced contract is irregular. */
export async function applyTokens(sql: Transaction, range: SignedRange): Promise<void> {
  await Promise.all([
    addTokens(sql, range),
    forgetSupplies(sql, range, 1),
    markSigned(sql, range),
    // Ids of ERC-721 transfers are added to the holdings (`writeNamed`).
    sql`
      UPDATE tokens SET unnamed_from = 0
      WHERE standard = 1155 AND address IN (
        SELECT token FROM token_transfers WHERE ${inRange(sql, range)} AND standard = 721)`,
    sql`
      UPDATE tokens SET irregular = irregular OR replaced, metadata_due = '-infinity', agreements = 0,
        mark_reason = CASE WHEN replaced AND NOT irregular THEN 'code' ELSE mark_reason END,
        name = NULL, symbol = NULL, decimals = NULL, metadata_block = NULL
      FROM (
        SELECT changed.address, bool_or(changed.replaced) AS replaced
        FROM changed_code(${range.from}, ${range.to}) AS changed GROUP BY 1
      ) AS changed
      WHERE tokens.address = changed.address`,
  ]);
}

async function addTokens(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    INSERT INTO tokens (address, standard, first_block)
    SELECT DISTINCT ON (token) token, standard, block_number FROM token_transfers
    WHERE ${inRange(sql, range)}
    ORDER BY token, block_number, log_index, batch_index
    ON CONFLICT (address) DO NOTHING`;
}

/** Adds the transfers to the expected supply (subtracts them where `sign` is -1), and marks it as pending. */
async function forgetSupplies(sql: Transaction, range: BlockRange, sign: 1 | -1): Promise<void> {
  await sql`
    WITH moved AS MATERIALIZED (${movedTokens(sql, range)}),
    changed AS MATERIALIZED (${ofChangedSupply(sql)} UNION ${changedCode(sql, range)})
    UPDATE tokens SET supply_block = NULL,
      total_supply = CASE WHEN expected BETWEEN 0 AND ${UINT256_MAXIMUM}::numeric THEN expected END
    FROM (
      SELECT changed.token, known.total_supply + CASE WHEN moved.token IS NULL THEN 0 ELSE ${sign}::int * moved.minted END AS expected
      FROM changed JOIN tokens AS known ON known.address = changed.token LEFT JOIN moved ON moved.token = changed.token
    ) AS expecting
    WHERE address = expecting.token AND (supply_block IS NOT NULL OR total_supply <> expected)`;
}

/** Undoes `applyTokens` before the rows are deleted, and marks reads of the range as pending. */
export async function revertTokens(sql: Transaction, range: SignedRange): Promise<undefined> {
  await forgetSupplies(sql, range, -1);
  await markSigned(sql, { ...range, to: range.from - 1 });
  await sql`
    UPDATE tokens SET metadata_block = CASE WHEN metadata_block < ${range.from} THEN metadata_block END,
      supply_block = CASE WHEN supply_block < ${range.from} THEN supply_block END
    WHERE greatest(metadata_block, supply_block) >= ${range.from}`;
  // No reading at the remaining head could satisfy a later block.
  await sql`UPDATE tokens SET stale_block = ${range.from - 1}::bigint WHERE stale_block >= ${range.from}`;
  // Holdings of a token named by signs or logs are deleted with it.
  await sql`
    WITH gone AS (DELETE FROM tokens WHERE first_block >= ${range.from} RETURNING address),
    ids AS (DELETE FROM token_id_balances AS held USING gone WHERE held.token = gone.address)
    DELETE FROM token_balances AS held USING gone
    WHERE ${hasKey(sql, [sql`held.token`, sql`gone.address`])}`;
}

/** Writes metadata and standard at a block; an empty answer keeps both, another standard marks the holdings as pending. */
export async function writeTokenMetadata(
  sql: Transaction,
  blockNumber: number,
  rows: readonly TokenMetadataRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const facts = { name: "text", symbol: "text", decimals: "int2", standard: "int2" };
  const numbers = tableOf(sql, "numbers", rows, {
    address: "bytea",
    ...facts,
    isDescribed: "int2",
  });
  const written = sql`
    WITH news AS MATERIALIZED (
      SELECT numbers.*, is_described = 1 AS described FROM ${numbers}
    ), changed AS MATERIALIZED (
      SELECT address FROM news JOIN tokens USING (address) WHERE tokens.standard <> news.standard
    ), wholes AS (
      UPDATE token_balances AS held SET block_number = NULL FROM changed
      WHERE ${hasKey(sql, [sql`held.token`, sql`changed.address`])} AND amount > 0
    ), ids AS (
      UPDATE token_id_balances AS held SET block_number = NULL FROM changed WHERE held.token = changed.address
    ), facts AS (
      SELECT news.address, news.standard, news.standard <> tokens.standard AS is_other,
        CASE WHEN described THEN news.name ELSE coalesce(news.name, known.name) END AS name,
        CASE WHEN described THEN news.symbol ELSE coalesce(news.symbol, known.symbol) END AS symbol,
        CASE WHEN described THEN news.decimals ELSE coalesce(news.decimals, known.decimals) END AS decimals
      FROM news JOIN tokens USING (address)
      LEFT JOIN tokens AS known ON known.address = news.address AND known.metadata_block <= ${blockNumber}
    )
    UPDATE tokens SET name = facts.name, symbol = facts.symbol, decimals = facts.decimals, standard = facts.standard,
      irregular = irregular OR is_other, mark_reason = CASE WHEN is_other THEN 'standard' ELSE mark_reason END,
      agreements = CASE WHEN is_other THEN 0 ELSE agreements END,
      unnamed_from = CASE WHEN is_other THEN 0 ELSE unnamed_from END,
      metadata_block = ${blockNumber}, metadata_read_at = now()
    FROM facts WHERE tokens.address = facts.address`;
  const counted = sql`
    UPDATE tokens SET
      metadata_tries = CASE WHEN ${lacksMetadata(sql)} THEN least(metadata_tries + 1, ${TRIES}::int + 1) ELSE 0 END,
      metadata_due = CASE WHEN ${lacksMetadata(sql)} THEN ${dueAfter(sql, sql`(metadata_tries + 1)`)} END
    WHERE address = ANY (${rows.map((row) => row.address)}::bytea[])`;
  await Promise.all([written, counted]);
}

/** Writes the supplies of known tokens at a block. Marks a token whose supply is not the last one plus its transfers. */
export async function writeTokenSupplies(
  sql: Transaction,
  blockNumber: number,
  rows: readonly TokenSupplyRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const news = tableOf(sql, "news", rows, { address: "bytea", totalSupply: "numeric" });
  await Promise.all([
    sql`
      UPDATE tokens SET ${disagreement(sql, "supply", blockNumber)}
      FROM ${news} WHERE tokens.address = news.address AND tokens.total_supply <> news.total_supply`,
    sql`
      UPDATE tokens SET total_supply = news.total_supply, supply_block = ${blockNumber}, supply_read_at = now(),
        supply_tries = CASE WHEN news.total_supply IS NULL THEN least(supply_tries + 1, ${TRIES}::int + 1) ELSE 0 END,
        supply_due = CASE WHEN news.total_supply IS NULL THEN ${dueAfter(sql, sql`(supply_tries + 1)`)} END
      FROM ${news} WHERE tokens.address = news.address`,
  ]);
}

/** One contract, or all but some. */
export type ContractScope = { only: Address } | { except: readonly Address[] };

/** Returns the condition that a column of contract addresses is in the scope. */
export function inScope(sql: Queryable, column: string, scope: ContractScope): Fragment {
  return "only" in scope
    ? sql`${sql(column)} = ${scope.only}`
    : sql`${sql(column)} <> ALL (${[...scope.except]}::bytea[])`;
}

/** Returns tokens with metadata or a supply that is pending, or missing and due; at most `limit` of each. */
export async function listPendingTokens(sql: Queryable, scope: ContractScope, limit: number) {
  return sql<TokenToRead[]>`
    (SELECT address, metadata_block IS NULL AS metadata, supply_block IS NULL AS supply, standard FROM tokens
      WHERE (metadata_block IS NULL OR supply_block IS NULL) AND ${inScope(sql, "address", scope)}
      ORDER BY address LIMIT ${limit})
    UNION ALL
    (SELECT address, coalesce(metadata_due <= now(), false), coalesce(supply_due <= now(), false), standard FROM tokens
      WHERE (metadata_due IS NOT NULL OR supply_due IS NOT NULL)
        AND least(metadata_due, supply_due) <= now() AND metadata_block IS NOT NULL AND supply_block IS NOT NULL
        AND ${inScope(sql, "address", scope)}
      ORDER BY least(metadata_due, supply_due) LIMIT ${limit})`;
}

/** Returns known tokens, to be read whole. */
export function listTokens(sql: Queryable, addresses: readonly Address[]) {
  return sql<TokenToRead[]>`
    SELECT address, true AS metadata, true AS supply, standard FROM tokens
    WHERE address = ANY (${[...addresses]}::bytea[]) AND metadata_block IS NOT NULL AND supply_block IS NOT NULL`;
}

/** Selects tokens with pending metadata or supply. */
export function selectPendingTokens(sql: Queryable) {
  return sql`SELECT FROM tokens WHERE metadata_block IS NULL OR supply_block IS NULL`;
}
