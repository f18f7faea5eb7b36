import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import type { PageRange } from "./large-pages.ts";
import { pageOfBlocks } from "./page.ts";

/** Where an address stands: sender, or receiver and created contract. */
export type Side = "from" | "to";

/** Whom entries go from and to: one of the two addresses at least, and with both whether both must fit. */
export interface Parties {
  from?: Address | undefined;
  to?: Address | undefined;
  operator: "and" | "or";
}

/** A table of the activity of addresses, narrowed to what a list is of. */
export interface Activity {
  /** Columns of an entry's key. */
  key: Fragment;
  /** The same as an order, and what of it the index of the activity has. */
  order: Fragment;
  inIndex: Fragment;
  /** Keys of the entries that an address stands in, on a side. */
  entriesOf(address: Address, side: Side): Fragment;
}

/**
 * Keys of a page of the entries of the parties, in their order. Each side is a range of the activity's index; of either
 * side no more is read than the page may need.
 */
export function pageOfParties(
  sql: Queryable,
  { from, to, operator }: Parties,
  activity: Activity,
  { limit, skip }: PageRange,
): Fragment {
  const page = (entries: Fragment, limit: number, skip: number) =>
    pageOfBlocks(sql, sql`SELECT ${activity.key} FROM (${entries}) entries`, activity, {
      limit,
      skip,
    });
  if (from === undefined || to === undefined) {
    const [address, side] = from === undefined ? [to, "to" as const] : [from, "from" as const];
    if (address === undefined) throw new TypeError("a list of parties names none");
    return page(activity.entriesOf(address, side), limit, skip);
  }
  if (operator === "and") {
    const between = sql`
      SELECT ${activity.key} FROM (${activity.entriesOf(from, "from")}) sent
      JOIN (${activity.entriesOf(to, "to")}) received USING (${activity.key})`;
    return page(between, limit, skip);
  }
  const first = (address: Address, side: Side) =>
    page(activity.entriesOf(address, side), limit + skip, 0);
  return page(sql`(${first(from, "from")}) UNION (${first(to, "to")})`, limit, skip);
}

/** Condition that the `sides` of an activity row have the side, nothing without one. */
export function onSide(sql: Queryable, side: Side | undefined): Fragment {
  if (side === undefined) return sql``;
  return side === "from" ? sql`AND sides & 1 <> 0` : sql`AND sides & 6 <> 0`;
}

/** The activity of a table that keeps `sides`; a created contract is no receiver here. */
export function activityWithSides(
  sql: Queryable,
  {
    table,
    isOf,
    condition,
    ...keys
  }: { table: Fragment; isOf(address: Address): Fragment; condition: Fragment } & Pick<
    Activity,
    "key" | "order" | "inIndex"
  >,
): Activity {
  return {
    ...keys,
    entriesOf: (address, side) => sql`
      SELECT ${keys.key} FROM ${table}
      WHERE ${isOf(address)} AND ${condition}
        AND sides & ${side === "from" ? 1 : 2}::smallint <> 0`,
  };
}
