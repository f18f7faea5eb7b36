import type { Fragment, Queryable, Sql } from "../db/client.ts";

/**
 * What indexes have in the place of long words: a hash of eight bytes with a secret of the database. An entry is half as large
 * then, and words that share some bytes (texts, numbers) stay apart. Words of one key may differ, and a database that was made
 * before the secret may still be without it (migrations/0200_secret_of_keys.sql): a query compares the whole, too.
 */
export function keyOf(sql: Queryable, words: Fragment): Fragment {
  return sql`index_key(${words})`;
}

/**
 * Condition that columns are words (which may be columns, too), by the index of the key of all of them together; both as
 * `bytea`.
 */
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

/** Whether the keys have a secret; those of a database that held blocks before there were secrets have none. */
export async function haveSecret(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ secret: boolean }[]>`
    SELECT index_key('\\x00') <> hashtextextended('00', 0) AS secret`;
  return row?.secret === true;
}
