import { type Address, ZERO_ADDRESS } from "../core/address.ts";
import type { Fragment, Queryable, Transaction } from "../db/client.ts";
import { type BlockRange, inRange } from "./chain.ts";
import { inPublishedBlocks, type PageRange } from "./page.ts";

interface NftKey {
  token: Address;
  /** Decimal text. */
  tokenId: string;
}

/** Applies a range to the owners: a token's last transfer tells its owner. */
export async function applyNftOwners(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    INSERT INTO nft_owners (token, token_id, owner)
    SELECT DISTINCT ON (token, token_id) token, token_id, to_address
    FROM token_transfers
    WHERE standard = 721 AND ${inRange(sql, range)}
    ORDER BY token, token_id, block_number DESC, log_index DESC
    ON CONFLICT (token, token_id)
    DO UPDATE SET owner = excluded.owner`;
}

/**
 * Undoes `applyNftOwners` for a range at the end of the chain. Runs before the rows of the blocks are deleted, the
 * returned function afterwards.
 */
export async function revertNftOwners(
  sql: Transaction,
  range: BlockRange,
): Promise<() => Promise<void>> {
  const moved = await sql<NftKey[]>`
    SELECT DISTINCT token, token_id FROM token_transfers
    WHERE standard = 721 AND ${inRange(sql, range)}`;
  return () => restoreNftOwners(sql, moved);
}

/** Sets the owners by the transfers that are left. A token without transfers loses its row. */
async function restoreNftOwners(sql: Transaction, moved: readonly NftKey[]): Promise<void> {
  if (moved.length === 0) return;
  const tokens = moved.map((key) => key.token);
  const tokenIds = moved.map((key) => key.tokenId);
  await sql`
    DELETE FROM nft_owners AS held
    USING unnest(${tokens}::bytea[], ${tokenIds}::numeric[]) AS key (token, token_id)
    WHERE held.token = key.token AND held.token_id = key.token_id`;
  await sql`
    INSERT INTO nft_owners (token, token_id, owner)
    SELECT key.token, key.token_id, last.to_address
    FROM unnest(${tokens}::bytea[], ${tokenIds}::numeric[]) AS key (token, token_id)
    CROSS JOIN LATERAL last_nft_transfer(key.token, key.token_id) AS last`;
}

/**
 * Ids of an ERC-721 collection that the owner has, ascending. The zero address owns none, and nobody has what moved before
 * another contract took the place of the collection's.
 */
export async function listNftsOfOwner(
  sql: Queryable,
  token: Address,
  owner: Address,
  { limit, skip }: PageRange,
): Promise<string[]> {
  const rows = await sql<{ tokenId: string }[]>`
    WITH replacement AS MATERIALIZED (${replacement(sql, token)})
    SELECT token_id FROM nft_owners
    WHERE owner = ${owner} AND token = ${token} AND owner <> ${ZERO_ADDRESS}
      AND CASE WHEN EXISTS (SELECT 1 FROM replacement) THEN (SELECT place FROM replacement) <= (
        SELECT ARRAY[block_number, transaction_index] FROM last_nft_transfer(token, token_id)) ELSE true END
    ORDER BY token_id
    LIMIT ${limit} OFFSET ${skip}`;
  return rows.map((row) => row.tokenId);
}

/** The place of the creation that replaced the contract of a token; no row where none did. */
function replacement(sql: Queryable, token: Address): Fragment {
  return sql`
    SELECT max(ARRAY[block_number, transaction_index]) AS place FROM contracts
    WHERE address = ${token} AND ${inPublishedBlocks(sql)}
    HAVING count(*) > 1 OR max(block_number) > (SELECT first_block FROM tokens WHERE address = ${token})`;
}
