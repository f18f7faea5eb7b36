import type { Fragment, Queryable } from "../db/client.ts";

/** Rows of a list: `limit` of them behind the first `skip`. */
export interface PageRange {
  limit: number;
  skip: number;
}

export type Order = "asc" | "desc";

/** Inclusive bounds of block numbers; open where undefined. */
export interface BlockBounds {
  from?: number | undefined;
  to?: number | undefined;
}

/** `ASC` or `DESC`. */
export function direction(sql: Queryable, order: Order): Fragment {
  return order === "asc" ? sql`ASC` : sql`DESC`;
}

/**
 * Condition that a block number is published and within the bounds: a range of an index whose next column it is.
 * `column` is the bare name, of the only table in its query that has it.
 */
export function inPublishedBlocks(
  sql: Queryable,
  { from, to }: BlockBounds = {},
  column = "block_number",
): Fragment {
  const name = sql(column);
  // A bound that bounds nothing would make the planner expect next to no rows.
  const notBefore = from === undefined ? sql`` : sql`AND ${name} >= ${from}::bigint`;
  const notAfter = to === undefined ? sql`` : sql`AND ${name} <= ${to}::bigint`;
  return sql`${name} <= (SELECT head_number FROM sync_state) ${notBefore} ${notAfter}`;
}
