import { StoreError } from "../../core/errors.ts";
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

/** Returns columns as an order, all in one direction. */
export function inOrder(sql: Queryable, columns: readonly string[], order: Order): Fragment {
  const towards = direction(sql, order);
  return columns
    .map((name) => sql`${sql(name)} ${towards}`)
    .reduce((all, one) => sql`${all}, ${one}`);
}

/** Forms of the columns in lists' orders. */
const KEY_FORMS = {
  bigint: /^-?\d{1,16}$/,
  numeric: /^-?\d{1,78}$/,
  bytea: /^0x[0-9a-f]{40}$/,
  /** In microseconds. */
  timestamptz: /^\d{1,16}$/,
};
type KeyForm = keyof typeof KEY_FORMS;

function castTo(sql: Queryable, form: KeyForm, value: string): Fragment {
  if (!KEY_FORMS[form].test(value)) throw new InvalidKey();
  if (form === "bigint") return sql`${value}::bigint`;
  if (form === "timestamptz") return sql`to_timestamp(${value}::bigint / 1e6)`;
  return form === "numeric" ? sql`${value}::numeric` : sql`${value}::bytea`;
}

/** Thrown for a key that is not of this list. */
export class InvalidKey extends StoreError {
  constructor() {
    super("invalid-key", "the key of a page is not of its list");
  }
}

/**
 * Returns the condition that a row follows the page's key, as an index range in the order of the
 * columns, each in its form. All have the same direction. Throws `InvalidKey`.
 */
export function behindKey(
  sql: Queryable,
  { after = [] }: Pick<PageRange, "after">,
  columns: Readonly<Record<string, KeyForm>>,
  order: Order,
): Fragment {
  const forms = Object.values(columns);
  if (after.length === 0) return sql``;
  if (after.length !== forms.length) throw new InvalidKey();
  const key = forms
    .map((form, index) => castTo(sql, form, after[index] ?? ""))
    .reduce((all, value) => sql`${all}, ${value}`);
  const row = sql`${sql(Object.keys(columns))}`;
  return order === "asc" ? sql`AND (${row}) > (${key})` : sql`AND (${row}) < (${key})`;
}

/** As `behindKey`, for numbers of blocks, and positions in them. */
export function behindPlace(
  sql: Queryable,
  page: Pick<PageRange, "after">,
  columns: readonly string[],
  order: Order,
): Fragment {
  const forms = columns.map((name) => [name, "bigint"] as const);
  return behindKey(sql, page, Object.fromEntries(forms), order);
}

/** Returns the condition on a published block within the bounds, as an index range. `column` is the bare name. */
export function inPublishedBlocks(
  sql: Queryable,
  { from, to }: BlockBounds = {},
  column = "block_number",
): Fragment {
  const name = sql(column);
  // Leaves out a bound that excludes nothing: the planner would expect very few rows.
  const notBefore = from === undefined ? sql`` : sql`AND ${name} >= ${from}::bigint`;
  const notAfter = to === undefined ? sql`` : sql`AND ${name} <= ${to}::bigint`;
  return sql`${name} <= ${publishedHead(sql)} ${notBefore} ${notAfter}`;
}

/**
 * Returns a page of `rows` (a SELECT without an order). `inIndex` is the order of its index where that
 * is by block only: then it reads as many whole blocks as the page needs, and sorts them in `order`. An
 * incremental sort would do the same, but a generic plan sorts all rows of a key instead. On
 * several servers each one sorts its rows, because Citus drops ties, and the result is sorted again.
 */
export function pageOfBlocks(
  sql: Queryable,
  rows: Fragment,
  { inIndex, order }: { inIndex?: Fragment | undefined; order: Fragment },
  { limit, skip }: PageRange,
): Fragment {
  if (!inIndex || isDistributedRead(sql)) {
    const whole = inIndex ? sql`${inIndex}, ${order}` : order;
    return sql`${rows} ORDER BY ${whole} LIMIT ${limit} OFFSET ${skip}`;
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
