import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import type { PageRange } from "./large-pages.ts";
import { behindKey } from "./page.ts";
import type { TokenStandard } from "./token-transfers.ts";

/** A token, a verified contract, both, or an address with a label, found by name. */
export interface NamedContract {
  address: Address;
  /** Null for a contract that is not a token. */
  standard: TokenStandard | null;
  name: string | null;
  symbol: string | null;
  /** Null without a verified source. */
  contractName: string | null;
}

/** A token in the list of all tokens. */
export interface ListedToken extends NamedContract {
  standard: TokenStandard;
  firstBlock: number;
  decimals: number | null;
  /** The number of owners with an amount above 0, by the stored holdings. */
  holderCount: number;
}

/**
 * Finds tokens and verified contracts by the first 64 characters of names, in any letter case: first those in `labelled`,
 * then those whose whole name is the text, then the oldest.
 */
export function listContractsByName(
  sql: Queryable,
  text: string,
  { limit, skip }: PageRange,
  labelled: readonly Address[] = [],
) {
  const start = sql`lower(left(${text}::text, 64))`;
  /** The expression of the indexes (migrations/0111_names.sql). */
  const keyOf = (column: Fragment) => sql`lower(left(${column}, 64)) COLLATE "C"`;
  const begins = (column: Fragment) => sql`
    ${column} IS NOT NULL AND ${keyOf(column)} >= ${start}
    AND ${keyOf(column)} < ${start} || chr(1114111)`;
  const most = sql`LIMIT ${skip + limit}::bigint`;
  const tokens = (column: Fragment) => sql`
    SELECT address, ${keyOf(column)} AS key, first_block, NULL::bigint AS place FROM tokens WHERE ${begins(column)}
    ORDER BY ${keyOf(column)}, first_block, address ${most}`;
  return sql<NamedContract[]>`
    SELECT ${names(sql)} FROM (
      SELECT address, min(key) AS key, min(first_block) AS first_block, min(place) AS place FROM (
        SELECT address, NULL::text COLLATE "C" AS key, NULL::bigint AS first_block, place
        FROM unnest(${labelled.slice(0, skip + limit)}::bytea[]) WITH ORDINALITY AS label(address, place)
        UNION ALL
        (${tokens(sql`name`)})
        UNION ALL
        (${tokens(sql`symbol`)})
        UNION ALL
        (SELECT address, ${keyOf(sql`contract_name`)}, NULL, NULL FROM valid_verified_contracts
         WHERE ${begins(sql`contract_name`)}
         ORDER BY ${keyOf(sql`contract_name`)}, address ${most})
      ) AS matched
      GROUP BY address ORDER BY place, key, first_block, address LIMIT ${limit} OFFSET ${skip}
    ) AS page ${joinedNames(sql)}
    ORDER BY page.place, page.key, page.first_block, page.address`;
}

/** Returns the tokens and verified contracts among the addresses. */
export async function listNames(sql: Queryable, addresses: readonly Address[]) {
  return sql<NamedContract[]>`
    SELECT ${names(sql)} FROM unnest(${[...addresses]}::bytea[]) AS page (address) ${joinedNames(sql)}
    WHERE t.standard IS NOT NULL OR v.contract_name IS NOT NULL`;
}

/** Lists tokens, newest first. */
export async function listTokens(sql: Queryable, page: PageRange): Promise<ListedToken[]> {
  const key = { first_block: "bigint", address: "bytea" } as const;
  return sql<ListedToken[]>`
    SELECT ${names(sql)}, page.first_block, t.decimals, t.holder_count FROM (
      SELECT address, first_block FROM tokens WHERE true ${behindKey(sql, page, key, "desc")}
      ORDER BY first_block DESC, address DESC LIMIT ${page.limit} OFFSET ${page.skip}
    ) AS page ${joinedNames(sql)}
    ORDER BY page.first_block DESC, page.address DESC`;
}

const names = (sql: Queryable) => sql`page.address, t.standard, t.name, t.symbol, v.contract_name`;

/** Joins the token and the verified contract of each row of `page`. */
function joinedNames(sql: Queryable): Fragment {
  return sql`
    LEFT JOIN LATERAL (
      SELECT standard, name, symbol, decimals, holder_count FROM tokens
      WHERE address = page.address LIMIT 1
    ) t ON true
    LEFT JOIN LATERAL (
      SELECT contract_name FROM valid_verified_contracts WHERE address = page.address LIMIT 1
    ) v ON true`;
}
