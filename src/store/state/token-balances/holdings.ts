import { type Address, ZERO_ADDRESS } from "../../../core/evm/address.ts";
import { UINT256_MAXIMUM } from "../../../core/evm/uint256.ts";
import { type Fragment, firstRow, type Queryable, tableOf } from "../../../db/client.ts";
import { hasKey } from "../../index-keys.ts";
import type { PageRange } from "../../lists/large-pages.ts";
import { behindKey } from "../../lists/page.ts";
import type { TokenStandard } from "../../lists/token-transfers.ts";
import { FEW_HOLDERS, firstIds } from "../tokens/signs.ts";
import type { Token } from "../tokens/token.ts";
import { isHolding } from "./moved.ts";

/** An owner's amount of a token, for ERC-721 the number of ids. ERC-1155 has one per id, and their sum with `tokenId` null. */
export interface Holding {
  token: Address;
  owner: Address;
  tokenId: string | null;
  amount: string;
}

/** A holding that must be read from its contract before it is served. */
export interface UnsureHolding extends Holding {
  /** The stored whole holding of the token, this one included. */
  whole: string;
}

/** A holding with fields of its token. */
export interface OwnedToken
  extends Holding,
    Pick<Token, "standard" | "name" | "symbol" | "decimals"> {}

/** The holdings of a token, of an owner, or of one owner in one token. */
export interface HoldingScope {
  token?: Address;
  owner?: Address;
}

/** `pending`: the holding was touched since the last read. `irregular`: the token's balances change without events. */
export type UnsureReason = "pending" | "irregular";

/** Returns unsure holdings of the scope, at most `limit`; none of unresponsive tokens. Those of an owner begin with the oldest token. */
export function listUnsureHoldings(
  sql: Queryable,
  { token, owner }: HoldingScope,
  reason: UnsureReason,
  limit: number,
) {
  const isPending = reason === "pending";
  return sql<(UnsureHolding & OwnedToken)[]>`
    SELECT b.token, b.owner, i.token_id, coalesce(i.amount, b.amount) AS amount, b.amount AS whole,
      k.standard, k.name, k.symbol, k.decimals
    FROM token_balances b
    JOIN tokens k ON k.address = b.token
    LEFT JOIN token_id_balances i ON k.standard = 1155 AND i.token = b.token AND i.owner = b.owner
      ${isPending ? sql`AND i.block_number IS NULL` : sql``}
    WHERE NOT k.unresponsive AND ${isPending ? sql`b.block_number IS NULL` : sql`k.irregular`}
      ${token === undefined ? sql`` : sql`AND b.token = ${token}`}
      ${owner === undefined ? sql`` : sql`AND ${isPending ? sql`b.owner = ${owner}` : isHolding(sql, sql`b`, sql`k.address`, sql`${owner}::bytea`)}`}
    ${owner === undefined ? sql`` : sql`ORDER BY k.first_block, b.token`}
    LIMIT ${limit}`;
}

/** The stored whole holding of a token. */
export interface StoredHolding {
  standard: TokenStandard;
  amount: string;
  /** True if the contract can be read: it is not unresponsive. */
  isAsked: boolean;
  /** The block of the last read; null while pending. */
  readBlock: number | null;
}

/** Returns the stored holding of an owner; undefined for a token without indexed transfers. */
export function getHolding(sql: Queryable, token: Address, owner: Address) {
  return firstRow(sql<StoredHolding[]>`
    SELECT k.standard,
      CASE WHEN k.unresponsive AND NOT b.amount ${canBeHeld(sql)} THEN 0 ELSE coalesce(b.amount, 0) END AS amount,
      NOT k.unresponsive AS is_asked, b.block_number AS read_block
    FROM tokens k
    LEFT JOIN token_balances b ON ${isHolding(sql, sql`b`, sql`k.address`, sql`${owner}::bytea`)}
    WHERE k.address = ${token}`);
}

/**
 * Lists up to `limit` ids of an ERC-1155 token that the owner holds or held, ascending, also by ERC-721's transfers; of a token with few
 * holders also its first ids, which the owner may have got without an event.
 */
export function listHeldIds(sql: Queryable, token: Address, owner: Address, limit: number) {
  return sql<(Holding & { readBlock: number | null })[]>`
    SELECT token, owner, token_id, amount, block_number AS read_block FROM token_id_balances
    WHERE token = ${token} AND owner = ${owner}
    UNION ALL
    SELECT token, owner, token_id, 0, NULL FROM nft_owners AS given
    WHERE token = ${token} AND owner = ${owner} AND EXISTS (SELECT FROM tokens WHERE address = ${token} AND standard = 1155)
      AND NOT EXISTS (SELECT FROM token_id_balances AS held
        WHERE held.token = given.token AND held.owner = given.owner AND held.token_id = given.token_id)
    UNION ALL
    SELECT address, ${owner}, token_id, 0, NULL FROM tokens CROSS JOIN LATERAL ${firstIds(sql, sql`address`)} AS few
    WHERE address = ${token} AND standard = 1155 AND holder_count <= ${FEW_HOLDERS}
      AND NOT EXISTS (SELECT FROM token_id_balances AS held
        WHERE held.token = address AND held.owner = ${owner} AND held.token_id = few.token_id)
    ORDER BY token_id
    LIMIT ${limit}`;
}

export interface Holder {
  owner: Address;
  amount: string;
}

/** The order of lists of holders, descending. */
export const HOLDER_KEY = { amount: "numeric", owner: "bytea" } as const;

/** Returns holders of a token by amount, then address, both descending, without the owners in `except`. */
export async function listHolders(
  sql: Queryable,
  token: Address,
  except: readonly Address[],
  page: PageRange,
) {
  return sql<Holder[]>`
    ${holders(sql, token, except, page)} LIMIT ${page.limit} OFFSET ${page.skip}`;
}

function holders(sql: Queryable, token: Address, except: readonly Address[], page: PageRange) {
  return sql`
    SELECT owner, amount FROM token_balances
    WHERE ${hasKey(sql, [sql`token`, sql`${token}::bytea`])} AND ${isHeld(sql, token)} AND owner <> ALL(${[ZERO_ADDRESS, ...except]}::bytea[])
      ${behindKey(sql, page, HOLDER_KEY, "desc")}
    ORDER BY amount DESC, owner DESC`;
}

/** As `listHolders`, and whether holdings of the token are unsure: the page must not be served then. */
export async function getHolderPage(sql: Queryable, token: Address, page: PageRange) {
  const rows = await sql<(Holder & { unsure: boolean; owner: Address | null })[]>`
    SELECT page.owner, page.amount, state.unsure
    FROM (
      SELECT EXISTS (SELECT 1 FROM token_balances WHERE token = ${token} AND block_number IS NULL)
        OR EXISTS (SELECT 1 FROM tokens WHERE address = ${token} AND irregular) AS unsure
    ) state
    LEFT JOIN (
      ${holders(sql, token, [], page)} LIMIT ${page.limit} OFFSET ${page.skip}
    ) page ON true
    ORDER BY page.amount DESC, page.owner DESC`;
  return {
    holders: rows.filter((row) => row.owner !== null),
    unsure: rows[0]?.unsure ?? false,
  };
}

/** Returns holdings of an owner in tokens of the standards, by token and id, without the tokens (or ids of them) in `except`. */
export function listOwnedTokens(
  sql: Queryable,
  owner: Address,
  standards: readonly TokenStandard[],
  except: readonly Pick<Holding, "token" | "tokenId">[],
  page: PageRange,
) {
  const excepted = tableOf(sql, "excepted", except, { token: "bytea", tokenId: "numeric" });
  const { limit, skip } = page;
  const branch = (table: Fragment, isOwned: Fragment, tokenId: Fragment, kind: Fragment) => sql`(
    SELECT b.token, ${tokenId} AS token_id, b.amount, k.standard, k.name, k.symbol, k.decimals
    FROM ${table} b
    JOIN tokens k ON k.address = b.token
    WHERE ${isOwned} AND b.amount > 0 AND b.amount ${canBeHeld(sql)} AND ${kind} AND k.standard = ANY(${[...standards]}::smallint[])
      AND NOT EXISTS (
        SELECT 1 FROM ${excepted}
        WHERE excepted.token = b.token AND excepted.token_id IS NOT DISTINCT FROM ${tokenId})
    ORDER BY b.token, ${tokenId}
    LIMIT ${skip + limit})`;
  const wholes = branch(
    sql`token_balances`,
    hasKey(sql, [sql`b.owner`, sql`${owner}::bytea`]),
    sql`NULL::numeric`,
    sql`k.standard <> 1155 ${behindKey(sql, { after: page.after?.slice(0, 1) ?? [] }, { "b.token": "bytea" }, "asc")}`,
  );
  const ids = branch(
    sql`token_id_balances`,
    sql`b.owner = ${owner}`,
    sql`b.token_id`,
    sql`k.standard = 1155 ${behindKey(sql, page, { "b.token": "bytea", "b.token_id": "numeric" }, "asc")}`,
  );
  return sql<OwnedToken[]>`
    SELECT token, ${owner}::bytea AS owner, token_id, amount, standard, name, symbol, decimals
    FROM (${standards.includes(1155) ? sql`${wholes} UNION ALL ${ids}` : sql`${wholes}`}) held
    ORDER BY token, token_id
    LIMIT ${limit} OFFSET ${skip}`;
}

/** Returns whether an amount is possible: transfers of unresponsive tokens may have any sum. */
function canBeHeld(sql: Queryable): Fragment {
  return sql`BETWEEN 0 AND ${UINT256_MAXIMUM}::numeric`;
}

/** Returns whether `amount` is a possible amount above 0 of the token for its owner. */
function isHeld(sql: Queryable, token: Address): Fragment {
  return sql`amount > 0 AND amount <= (
    SELECT CASE WHEN unresponsive THEN ${UINT256_MAXIMUM}::numeric ELSE 'Infinity' END
    FROM tokens WHERE address = ${token})`;
}

/** Lists holdings of regular, responsive tokens from a random place or the first: up to `limit` with ids, and as many without. */
export async function listStoredHoldings(sql: Queryable, from: "random" | "first", limit: number) {
  const branch = (table: string, tokenId: Fragment, kind: Fragment) => {
    const page = sql`floor(random() * pg_relation_size(${table}) / current_setting('block_size')::int)`;
    const place =
      from === "first"
        ? sql`'(0,0)'::tid`
        : sql`(SELECT format('(%s,%s)', ${page}, floor(random() * ${ROWS_OF_PAGE}))::tid)`;
    return sql`(
      SELECT b.token, b.owner, ${tokenId} AS token_id, b.amount
      FROM ${sql(table)} b JOIN tokens t ON t.address = b.token
      WHERE b.ctid >= ${place} AND b.block_number IS NOT NULL AND NOT (t.irregular OR t.unresponsive) ${kind}
      LIMIT ${limit})`;
  };
  const wholes = branch("token_balances", sql`NULL::numeric`, sql`AND t.standard <> 1155`);
  return sql<Holding[]>`
    ${wholes} UNION ALL ${branch("token_id_balances", sql`b.token_id`, sql``)}`;
}

/** Fewest rows on a page of a table of holdings. */
const ROWS_OF_PAGE = 64;
