import { type Address, ZERO_ADDRESS } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import {
  type Fragment,
  pluck,
  type Queryable,
  type Transaction,
  tableOf,
} from "../../db/client.ts";
import type { PageRange } from "../lists/large-pages.ts";
import { behindKey, inPublishedBlocks } from "../lists/page.ts";
import { type BlockRange, inRange } from "../writer/chain.ts";
import { countConsecutiveTransfers } from "./consecutive-transfers.ts";

interface NftKey {
  token: Address;
  /** Decimal text. */
  tokenId: string;
}

function tableOfNfts(sql: Queryable, keys: readonly NftKey[]) {
  return tableOf(sql, "key", keys, { token: "bytea", tokenId: "numeric" });
}

/** Applies a range to the owners: a token's last transfer names its owner. */
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

/** Undoes `applyNftOwners` before the rows are deleted; the returned function runs afterwards. */
export async function revertNftOwners(sql: Transaction, range: BlockRange) {
  const moved = await sql<NftKey[]>`
    SELECT DISTINCT token, token_id FROM token_transfers
    WHERE standard = 721 AND ${inRange(sql, range)}`;
  return () => restoreNftOwners(sql, moved);
}

/** Sets the owners by the remaining transfers. Deletes the rows of tokens without transfers. */
async function restoreNftOwners(sql: Transaction, moved: readonly NftKey[]): Promise<void> {
  if (moved.length === 0) return;
  const keys = tableOfNfts(sql, moved);
  await sql`
    DELETE FROM nft_owners AS held USING ${keys}
    WHERE held.token = key.token AND held.token_id = key.token_id`;
  await sql`
    INSERT INTO nft_owners (token, token_id, owner)
    SELECT key.token, key.token_id, last.to_address
    FROM ${keys}
    CROSS JOIN LATERAL last_nft_transfer(key.token, key.token_id) AS last`;
}

/** Most consecutive transfers of a collection whose owners are computed: each id is searched in all of them. */
const CONSECUTIVE_TRANSFERS_MAXIMUM = 200;

/** Lists an owner's ids by single transfers since the current contract's creation, ascending; undefined for too many consecutive transfers. */
export async function listNftsOfOwner(
  sql: Queryable,
  token: Address,
  owner: Address,
  page: PageRange,
): Promise<string[] | undefined> {
  const limit = CONSECUTIVE_TRANSFERS_MAXIMUM + 1;
  const count = await countConsecutiveTransfers(sql, token, limit);
  if (count === limit) return undefined;
  const owned = (count === 0 ? idsByTransfers : idsMovedTogether)(sql, token, owner);
  return pluck(sql<{ tokenId: string }[]>`
    WITH replacement AS MATERIALIZED (${replacement(sql, token)})
    SELECT token_id FROM (${owned}) AS owned
    WHERE CASE WHEN EXISTS (SELECT 1 FROM replacement) THEN (SELECT place FROM replacement) <= owned.place ELSE true END
      ${behindKey(sql, page, { token_id: "numeric" }, "asc")}
    ORDER BY token_id
    LIMIT ${page.limit} OFFSET ${page.skip}`);
}

/** Returns ids of a collection with transfers of their own, ascending, at most `limit`. */
export function listKnownIds(sql: Queryable, token: Address, limit: number) {
  return pluck(sql<{ tokenId: string }[]>`
    SELECT token_id FROM nft_owners WHERE token = ${token} ORDER BY token_id LIMIT ${limit}`);
}

/** Returns the ids of ERC-404's own events from or to an owner, the newest `limit` events. */
export function listIdsOfHybrid(sql: Queryable, token: Address, owner: Address, limit: number) {
  return pluck(sql<{ tokenId: string }[]>`
    SELECT DISTINCT token_id FROM (
      SELECT moved.token_id FROM transfers_of_holding(${owner}, ${token}) AS activity
      CROSS JOIN LATERAL token_transfer_at(activity.block_number, activity.log_index, activity.batch_index) AS moved
      WHERE activity.standard = 404 AND moved.token_id IS NOT NULL AND ${inPublishedBlocks(sql, {}, "activity.block_number")}
      ORDER BY activity.block_number DESC LIMIT ${limit}
    ) AS moved`);
}

/** Returns the numbers in a token's latest logs, which may be ids, as decimal text. */
export async function listIdsInLogs(sql: Queryable, token: Address, limit: number) {
  const rows = await sql<{ words: Hex }[]>`
    SELECT coalesce(topic1, '') || coalesce(topic2, '') || coalesce(topic3, '') || substr(data, 1, 256) AS words
    FROM logs WHERE address = ${token} AND ${inPublishedBlocks(sql)} ORDER BY block_number DESC LIMIT ${limit}`;
  const words = rows.flatMap(({ words }) => words.slice(2).match(/.{64}/g) ?? []);
  return [...new Set(words.map((word) => String(BigInt(`0x${word}`))))];
}

/** Returns the ids whose last single transfer went to another account. */
export function listMovedIds(sql: Queryable, owner: Address, keys: readonly NftKey[]) {
  if (keys.length === 0) return [];
  return sql<NftKey[]>`
    SELECT held.token, held.token_id FROM nft_owners AS held
    JOIN ${tableOfNfts(sql, keys)} ON held.token = key.token AND held.token_id = key.token_id
    WHERE held.owner <> ${owner}`;
}

/** Returns an owner's ids by single transfers, with the positions of these. */
function idsByTransfers(sql: Queryable, token: Address, owner: Address): Fragment {
  return sql`
    SELECT token_id, (
      SELECT ARRAY[block_number, transaction_index] FROM last_nft_transfer(token, token_id)) AS place
    FROM nft_owners WHERE owner = ${owner} AND token = ${token} AND owner <> ${ZERO_ADDRESS}`;
}

/** As `idsByTransfers`, but a later transfer of several ids (ERC-2309) overrides a single one. */
function idsMovedTogether(sql: Queryable, token: Address, owner: Address): Fragment {
  return sql`
    WITH together AS MATERIALIZED (
      SELECT * FROM consecutive_transfers WHERE token = ${token} AND ${inPublishedBlocks(sql)}
    ), known AS (
      SELECT token_id FROM nft_owners WHERE owner = ${owner} AND token = ${token}
      UNION
      SELECT token_id FROM together
      JOIN nft_owners AS held ON held.token = ${token} AND token_id BETWEEN first_id AND last_id
      WHERE to_address = ${owner}
    )
    SELECT token_id, ARRAY[last.block_number, last.transaction_index] AS place
    FROM (SELECT token_id FROM known ORDER BY token_id) AS known
    CROSS JOIN LATERAL (
      SELECT to_address, block_number, transaction_index, log_index
      FROM last_nft_transfer(${token}, token_id)
      UNION ALL
      SELECT to_address, block_number, transaction_index, log_index
      FROM together WHERE token_id BETWEEN first_id AND last_id
      ORDER BY block_number DESC, log_index DESC LIMIT 1
    ) AS last
    WHERE to_address = ${owner} AND to_address <> ${ZERO_ADDRESS}`;
}

/** Returns the position of the creation that replaced the contract of a token; no row where none did. */
function replacement(sql: Queryable, token: Address): Fragment {
  return sql`
    SELECT max(ARRAY[block_number, transaction_index]) AS place FROM contracts
    WHERE address = ${token} AND ${inPublishedBlocks(sql)}
    HAVING count(*) > 1 OR max(block_number) > (SELECT first_block FROM tokens WHERE address = ${token})`;
}
