import type { Fragment, Queryable } from "../../db/client.ts";
import { isDistributedRead, publishedHead } from "../cluster/distributed-reads.ts";
import type { PageRange } from "./large-pages.ts";

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
 * Returns the condition that a block number is published and within the bounds, as an index range.
 * `column` is the bare name; only one table of the query may have it.
 */
export function inPublishedBlocks(
  sql: Queryable,
  { from, to }: BlockBounds = {},
  column = "block_number",
): Fragment {
  const name = sql(column);
  // With a bound that excludes nothing the planner would expect very few rows.
  const notBefore = from === undefined ? sql`` : sql`AND ${name} >= ${from}::bigint`;
  const notAfter = to === undefined ? sql`` : sql`AND ${name} <= ${to}::bigint`;
  return sql`${name} <= ${publishedHead(sql)} ${notBefore} ${notAfter}`;
}

/**
 * Returns a page of `rows` (a SELECT without an order) whose index is ordered by block only:
 * `inIndex`. It reads as many whole blocks as the page needs, and sorts them in `order`. An
 * incremental sort would do the same, but a generic plan sorts all rows of a key instead. On
 * several servers each sorts, because Citus drops ties, and keeps the rows it sorts again.
 */
export function pageOfBlocks(
  sql: Queryable,
  rows: Fragment,
  { inIndex, order }: { inIndex: Fragment; order: Fragment },
  { limit, skip }: PageRange,
): Fragment {
  if (isDistributedRead(sql)) {
    return sql`${rows} ORDER BY ${inIndex}, ${order} LIMIT ${limit} OFFSET ${skip}`;
  }
  return sql`
    SELECT * FROM (
      ${rows} ORDER BY ${inIndex} FETCH FIRST (${skip + limit}::bigint) ROWS WITH TIES
    ) AS blocks_of_page
    ORDER BY ${order} LIMIT ${limit} OFFSET ${skip}`;
}

/** Joins the block of each row, as `b`. */
export function blockOf(sql: Queryable, blockNumber: Fragment): Fragment {
  return sql`
    CROSS JOIN LATERAL (
      SELECT hash, timestamp FROM blocks WHERE number = ${blockNumber} LIMIT 1
    ) b`;
}
