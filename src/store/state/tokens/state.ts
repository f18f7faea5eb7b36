import { type Address, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import type { Fragment, Queryable, Transaction } from "../../../db/client.ts";
import { type BlockRange, inRange, READ_AGAIN_MAXIMUM } from "../../writer/chain.ts";
import { partiesOfConsecutiveTransfers } from "../consecutive-transfers.ts";

/** A token's metadata; null for what its contract does not answer. */
export interface TokenMetadataRow {
  address: Address;
  name: string | null;
  symbol: string | null;
  decimals: number | null;
}

export interface TokenSupplyRow {
  address: Address;
  /** In the smallest unit; null when the contract does not answer. */
  totalSupply: bigint | null;
}

/**
 * A token that leaves out a fact is asked again so many times: after 1 minute, then each time four times as long, the
 * last time after 11 days. A transfer of it asks sooner, but not within a minute.
 */
const TRIES = 8;

/** The time to ask again after so many tries. */
function dueAfter(sql: Queryable, tries: Fragment): Fragment {
  return sql`CASE WHEN ${tries} <= ${TRIES}::int
    THEN now() + interval '1 minute' * power(4, ${tries} - 1) END`;
}

/** Whether a fact is missing that the token's standard has. */
function lacksMetadata(sql: Queryable): Fragment {
  return sql`(standard <> 1155
    AND (name IS NULL OR symbol IS NULL OR (decimals IS NULL AND standard <> 721)))`;
}

/** A token, and what to read of it. */
export interface TokenToRead {
  address: Address;
  metadata: boolean;
  supply: boolean;
}

/**
 * Tokens that a range touches, and what is to be read of them for it. Metadata: of tokens that moved in the range and
 * are new, or were last asked a day ago (a minute, where a fact is missing). Supply: see `ofChangedSupply`. Both: of
 * `changedCode`. For a published range that is about to be rolled back, also what was read in it.
 */
export async function listTouchedTokens(sql: Queryable, range: BlockRange): Promise<TokenToRead[]> {
  return sql<TokenToRead[]>`
    WITH moved AS MATERIALIZED (${movedTokens(sql, range)})
    SELECT address, bool_or(metadata) AS metadata, bool_or(supply) AS supply FROM (
      SELECT token AS address, true AS metadata, false AS supply FROM moved
      WHERE NOT EXISTS (
          SELECT 1 FROM tokens WHERE address = token AND metadata_block < ${range.from}
            AND metadata_read_at BETWEEN now()
              - CASE WHEN ${lacksMetadata(sql)} THEN interval '1 minute' ELSE interval '1 day' END AND now())
      UNION
      SELECT token, false, true FROM (${ofChangedSupply(sql)}) AS changed
      UNION
      (SELECT address, true, true FROM tokens WHERE address IN (${changedCode(sql, range)})
        LIMIT ${READ_AGAIN_MAXIMUM})
      UNION
      (SELECT address, coalesce(metadata_block >= ${range.from}, false), coalesce(supply_block >= ${range.from}, false)
        FROM tokens WHERE greatest(metadata_block, supply_block) >= ${range.from}
        ORDER BY greatest(metadata_block, supply_block) LIMIT ${READ_AGAIN_MAXIMUM})
    ) AS touched
    GROUP BY address
    ORDER BY address`;
}

/** Contracts of which other code answers after a range (migrations/0170_changed_code.sql). */
function changedCode(sql: Queryable, { from, to }: BlockRange) {
  return sql`SELECT changed.address FROM changed_code(${from}, ${to}) AS changed`;
}

/** Tokens that a range moved (of known ones also several ids together), and whether they were minted or burnt. */
function movedTokens(sql: Queryable, range: BlockRange) {
  return sql`
    SELECT token, bool_or(supplied) AS supplied
    FROM (
      SELECT token, from_address = ${ZERO_ADDRESS} OR to_address = ${ZERO_ADDRESS} AS supplied
      FROM token_transfers WHERE ${inRange(sql, range)}
      UNION ALL
      SELECT token, party = ${ZERO_ADDRESS} FROM (${partiesOfConsecutiveTransfers(sql, range)}) AS parties
      WHERE token IN (SELECT address FROM tokens)
    ) AS moved
    GROUP BY token`;
}

/** Of the tokens `moved`, those whose supply may have changed: new, minted or burnt, or irregular. */
function ofChangedSupply(sql: Queryable) {
  return sql`
    SELECT token FROM moved
      LEFT JOIN tokens ON tokens.address = token
      WHERE supplied OR tokens.supply_block IS NULL OR tokens.irregular
        OR (tokens.total_supply IS NULL
          AND coalesce(tokens.supply_read_at NOT BETWEEN now() - interval '1 minute' AND now(), true))`;
}

/**
 * Applies a range to the tokens: adds new ones, and marks supplies that it may have changed as "to be read". A token whose
 * contract was replaced is irregular: no transfers tell that its holdings ended.
 */
export async function applyTokens(sql: Transaction, range: BlockRange): Promise<void> {
  await Promise.all([
    addTokens(sql, range),
    forgetSupplies(sql, range),
    sql`
      UPDATE tokens SET irregular = irregular OR replaced, metadata_due = '-infinity'
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

async function forgetSupplies(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    WITH moved AS MATERIALIZED (${movedTokens(sql, range)})
    UPDATE tokens SET supply_block = NULL
    WHERE supply_block IS NOT NULL
      AND address IN (${ofChangedSupply(sql)} UNION ALL ${changedCode(sql, range)})`;
}

/**
 * Undoes `applyTokens` for a range at the end of the chain, and marks what was read at its blocks as "to be read". Runs
 * before the rows of the blocks are deleted.
 */
export async function revertTokens(sql: Transaction, range: BlockRange): Promise<undefined> {
  await forgetSupplies(sql, range);
  await sql`
    UPDATE tokens SET
      metadata_block = CASE WHEN metadata_block < ${range.from} THEN metadata_block END,
      supply_block = CASE WHEN supply_block < ${range.from} THEN supply_block END
    WHERE greatest(metadata_block, supply_block) >= ${range.from}`;
  await sql`DELETE FROM tokens WHERE first_block >= ${range.from}`;
}

/**
 * Writes the metadata of known tokens at a block. A fact that is known stays when the contract no longer answers it.
 */
export async function writeTokenMetadata(
  sql: Transaction,
  blockNumber: number,
  rows: readonly TokenMetadataRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const written = sql`
    UPDATE tokens SET name = coalesce(news.name, known.name), symbol = coalesce(news.symbol, known.symbol),
      decimals = coalesce(news.decimals, known.decimals),
      metadata_block = ${blockNumber}, metadata_read_at = now()
    FROM unnest(
      ${rows.map((row) => row.address)}::bytea[], ${rows.map((row) => row.name)}::text[],
      ${rows.map((row) => row.symbol)}::text[], ${rows.map((row) => row.decimals)}::int2[]
    ) AS news (address, name, symbol, decimals)
    LEFT JOIN tokens AS known ON known.address = news.address AND known.metadata_block <= ${blockNumber}
    WHERE tokens.address = news.address`;
  const counted = sql`
    UPDATE tokens SET
      metadata_tries = CASE WHEN ${lacksMetadata(sql)} THEN least(metadata_tries + 1, ${TRIES}::int + 1) ELSE 0 END,
      metadata_due = CASE WHEN ${lacksMetadata(sql)} THEN ${dueAfter(sql, sql`(metadata_tries + 1)`)} END
    WHERE address = ANY (${rows.map((row) => row.address)}::bytea[])`;
  await Promise.all([written, counted]);
}

/** Writes the supplies of known tokens at a block. */
export async function writeTokenSupplies(
  sql: Transaction,
  blockNumber: number,
  rows: readonly TokenSupplyRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    UPDATE tokens SET total_supply = news.total_supply, supply_block = ${blockNumber}, supply_read_at = now(),
      supply_tries = CASE WHEN news.total_supply IS NULL THEN least(supply_tries + 1, ${TRIES}::int + 1) ELSE 0 END,
      supply_due = CASE WHEN news.total_supply IS NULL THEN ${dueAfter(sql, sql`(supply_tries + 1)`)} END
    FROM unnest(
      ${rows.map((row) => row.address)}::bytea[],
      ${rows.map((row) => row.totalSupply?.toString() ?? null)}::numeric[]
    ) AS news (address, total_supply)
    WHERE tokens.address = news.address`;
}

/** One contract, or all but some. */
export type ContractScope = { only: Address } | { except: readonly Address[] };

/** The condition that a column of contract addresses is in the scope. */
export function inScope(sql: Queryable, column: string, scope: ContractScope): Fragment {
  return "only" in scope
    ? sql`${sql(column)} = ${scope.only}`
    : sql`${sql(column)} <> ALL (${[...scope.except]}::bytea[])`;
}

/** Tokens with metadata or a supply that is to be read, or that is missing and due; at most `limit` of each. */
export async function listPendingTokens(
  sql: Queryable,
  scope: ContractScope,
  limit: number,
): Promise<TokenToRead[]> {
  return sql<TokenToRead[]>`
    (SELECT address, metadata_block IS NULL AS metadata, supply_block IS NULL AS supply FROM tokens
      WHERE (metadata_block IS NULL OR supply_block IS NULL) AND ${inScope(sql, "address", scope)}
      ORDER BY address LIMIT ${limit})
    UNION ALL
    (SELECT address, coalesce(metadata_due <= now(), false), coalesce(supply_due <= now(), false) FROM tokens
      WHERE (metadata_due IS NOT NULL OR supply_due IS NOT NULL)
        AND least(metadata_due, supply_due) <= now() AND metadata_block IS NOT NULL AND supply_block IS NOT NULL
        AND ${inScope(sql, "address", scope)}
      ORDER BY least(metadata_due, supply_due) LIMIT ${limit})`;
}

/** The number of tokens with metadata or a supply to be read, counted up to `limit`. */
export async function countPendingTokens(sql: Queryable, limit: number): Promise<number> {
  const [counted] = await sql<{ count: number }[]>`
    SELECT count(*) FROM (
      SELECT 1 FROM tokens WHERE metadata_block IS NULL OR supply_block IS NULL LIMIT ${limit}
    ) AS pending`;
  return counted?.count ?? 0;
}
