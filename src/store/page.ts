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
  { from = 0, to = Number.MAX_SAFE_INTEGER }: BlockBounds = {},
  column = "block_number",
): Fragment {
  return sql`
    ${sql(column)} >= ${from}::bigint AND ${sql(column)} <= ${to}::bigint
    AND ${sql(column)} <= (SELECT head_number FROM sync_state)`;
}
