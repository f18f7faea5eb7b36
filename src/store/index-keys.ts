import { type Fragment, hasRows, type Queryable, type Sql } from "../db/client.ts";

/** Returns the index key of words, a short keyed hash (migrations/0200_secret_of_keys.sql). Queries must also compare the words. */
export function keyOf(sql: Queryable, words: Fragment): Fragment {
  return sql`index_key(${words})`;
}

/** Returns the condition that columns equal words or other columns, by the index of their joint key. Both must be `bytea`. */
export function hasKey(
  sql: Queryable,
  ...pairs: readonly (readonly [column: Fragment, word: Fragment])[]
): Fragment {
  const joined = (side: 0 | 1) =>
    pairs.map((pair) => pair[side]).reduce((all, word) => sql`${all} || ${word}`);
  return pairs.reduce(
    (all, [column, word]) => sql`${all} AND ${column} = ${word}`,
    sql`${keyOf(sql, joined(0))} = ${keyOf(sql, joined(1))}`,
  );
}

/** Returns whether the keys have a secret; databases with blocks from before it have none. */
export function haveSecret(sql: Sql) {
  return hasRows(sql`SELECT WHERE index_key('\\x00') <> hashtextextended('00', 0)`);
}
