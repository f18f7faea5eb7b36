import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import type { PageRange } from "./large-pages.ts";
import { pageOfBlocks } from "./page.ts";

/** Role of an address: sender, or receiver and created contract. */
export type Side = "from" | "to";

/** Senders and receivers of entries: at least one address, and with both whether both must match. */
export interface Parties {
  from?: Address | undefined;
  to?: Address | undefined;
  operator: "and" | "or";
}

/** A table of the activity of addresses, restricted to a list's entries. */
export interface Activity {
  /** Columns of an entry's key. */
  key: Fragment;
  /** The same as an order, and its part in the activity's index. */
  order: Fragment;
  inIndex: Fragment;
  /** Selects keys of the entries of an address, on a side. */
  entriesOf(address: Address, side: Side): Fragment;
}

/** Returns the keys of a page of the parties' entries, in order. Each side is an index range, read as far as needed. */
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

/** Returns the condition that the `sides` of an activity row contain the side, none without one. */
export function onSide(sql: Queryable, side: Side | undefined): Fragment {
  if (side === undefined) return sql``;
  return side === "from" ? sql`AND sides & 1 <> 0` : sql`AND sides & 6 <> 0`;
}

/** Returns the activity of a table with `sides`; a created contract does not count as a receiver. */
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
