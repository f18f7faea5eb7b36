import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Fragment, Queryable, Transaction } from "../db/client.ts";
import type { BlockRange } from "./chain.ts";

/** What a token contract says of itself; null for what it does not answer. */
export interface TokenMetadataRow {
  address: Address;
  name: string | null;
  symbol: string | null;
  /** The raw bytes of name and symbol. */
  nameData: Hex | null;
  symbolData: Hex | null;
  decimals: number | null;
}

export interface TokenSupplyRow {
  address: Address;
  /** In the smallest unit; null when the contract does not answer. */
  totalSupply: bigint | null;
}

/** Tokens that the recorded blocks of the range name for the first time. */
export async function listNewTokens(sql: Queryable, range: BlockRange): Promise<Address[]> {
  const rows = await sql<{ token: Address }[]>`
    SELECT DISTINCT token FROM token_transfers
    WHERE block_number BETWEEN ${range.from} AND ${range.to}
      AND NOT EXISTS (SELECT FROM tokens WHERE address = token AND metadata_block IS NOT NULL)
    ORDER BY token`;
  return rows.map((row) => row.token);
}

/** Tokens whose supply the range may have changed: new, minted or burnt in it, or irregular and moved in it. */
export async function listTokensOfChangedSupply(
  sql: Queryable,
  range: BlockRange,
): Promise<Address[]> {
  const rows = await sql<{ token: Address }[]>`${tokensOfChangedSupply(sql, range)} ORDER BY 1`;
  return rows.map((row) => row.token);
}

function tokensOfChangedSupply(sql: Queryable, { from, to }: BlockRange) {
  return sql`
    SELECT DISTINCT token FROM token_transfers
      LEFT JOIN tokens ON tokens.address = token
      WHERE token_transfers.block_number BETWEEN ${from} AND ${to}
        AND (from_address = '\\x0000000000000000000000000000000000000000'
          OR to_address = '\\x0000000000000000000000000000000000000000'
          OR tokens.supply_block IS NULL OR tokens.irregular)`;
}

/** Applies a range to the tokens: new ones are added, supplies that it may have changed become "to be read". */
export async function applyTokens(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    INSERT INTO tokens (address, standard, first_block)
    SELECT DISTINCT ON (token) token, standard, block_number FROM token_transfers
    WHERE block_number BETWEEN ${range.from} AND ${range.to}
    ORDER BY token, block_number, log_index, batch_index
    ON CONFLICT (address) DO NOTHING`;
  await forgetSupplies(sql, range);
}

async function forgetSupplies(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    UPDATE tokens SET supply_block = NULL
    WHERE supply_block IS NOT NULL AND address IN (${tokensOfChangedSupply(sql, range)})`;
}

/** Undoes `applyTokens` for the range, which is the end of the chain; before its rows are deleted. */
export async function revertTokens(sql: Transaction, range: BlockRange): Promise<void> {
  await forgetSupplies(sql, range);
  await sql`DELETE FROM tokens WHERE first_block >= ${range.from}`;
}

/** Writes what known tokens said of themselves at a block. */
export async function writeTokenMetadata(
  sql: Transaction,
  blockNumber: number,
  rows: readonly TokenMetadataRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    UPDATE tokens SET name = news.name, symbol = news.symbol, name_data = news.name_data,
      symbol_data = news.symbol_data, decimals = news.decimals, metadata_block = ${blockNumber}
    FROM unnest(
      ${rows.map((row) => row.address)}::bytea[], ${rows.map((row) => row.name)}::text[],
      ${rows.map((row) => row.symbol)}::text[], ${rows.map((row) => row.nameData)}::bytea[],
      ${rows.map((row) => row.symbolData)}::bytea[], ${rows.map((row) => row.decimals)}::int2[]
    ) AS news (address, name, symbol, name_data, symbol_data, decimals)
    WHERE tokens.address = news.address`;
}

/** Writes supplies that are true at a block, of known tokens. */
export async function writeTokenSupplies(
  sql: Transaction,
  blockNumber: number,
  rows: readonly TokenSupplyRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    UPDATE tokens SET total_supply = news.total_supply, supply_block = ${blockNumber}
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

/** Tokens whose metadata or supply is to be read, at most `limit` of each. */
export async function listPendingTokens(
  sql: Queryable,
  scope: ContractScope,
  limit: number,
): Promise<{ metadata: Address[]; supply: Address[] }> {
  const rows = await sql<{ address: Address; metadata: boolean; supply: boolean }[]>`
    SELECT address, metadata_block IS NULL AS metadata, supply_block IS NULL AS supply FROM tokens
    WHERE (metadata_block IS NULL OR supply_block IS NULL) AND ${inScope(sql, "address", scope)}
    ORDER BY address LIMIT ${limit}`;
  return {
    metadata: rows.filter((row) => row.metadata).map((row) => row.address),
    supply: rows.filter((row) => row.supply).map((row) => row.address),
  };
}

/** How many tokens have metadata or a supply that is to be read, counted up to `limit`. */
export async function countPendingTokens(sql: Queryable, limit: number): Promise<number> {
  const [counted] = await sql<{ count: number }[]>`
    SELECT count(*) FROM (
      SELECT FROM tokens WHERE metadata_block IS NULL OR supply_block IS NULL LIMIT ${limit}
    ) AS pending`;
  return counted?.count ?? 0;
}
