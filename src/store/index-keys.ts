import type { Address } from "../core/address.ts";
import type { Fragment, Queryable } from "../db/client.ts";

/**
 * What indexes have in the place of long words: a hash of eight bytes. An entry is half as large then, and words that share
 * some bytes (texts, numbers) stay apart. Words of one key may differ: a query compares the whole, too.
 */
export function keyOf(sql: Queryable, words: Fragment): Fragment {
  return sql`hashtextextended(encode(${words}, 'hex'), 0)`;
}

/** Condition that a row is of an address, by the index of its key. */
export function isOfAddress(sql: Queryable, address: Address): Fragment {
  return sql`${keyOf(sql, sql`address`)} = ${keyOf(sql, sql`${address}::bytea`)} AND address = ${address}`;
}

/** Condition that a row of `activity` (address_token_transfers) is of an address and a token, which may be columns. */
export function isOfToken(sql: Queryable, address: Fragment, token: Fragment): Fragment {
  return sql`${keyOf(sql, sql`activity.address || activity.token`)} = ${keyOf(sql, sql`${address} || ${token}`)}
    AND activity.address = ${address} AND activity.token = ${token}`;
}
