import type { Address } from "../../core/evm/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import type { PageRange } from "./large-pages.ts";
import { behindPlace, inOrder, type Order, pageOfBlocks } from "./page.ts";

/** Role of an address: sender, or receiver and created contract. */
export type Side = "from" | "to";

/** Senders and receivers of entries: at least one address, and with both whether both must match. */
export interface Parties {
  from?: Address | undefined;
  to?: Address | undefined;
  operator: "and" | "or";
}

/** Selects entries of one address, on a side or both, or of parties. */
export type PartyFilter = { address: Address; side?: Side | undefined } | { parties: Parties };

/** A table of the activity of addresses, restricted to a list's entries. */
interface Activity {
  table: Fragment;
  /** Returns the condition that an entry is the address's. */
  isOf(address: Address): Fragment;
  condition: Fragment;
  /** Columns of an entry's key in the list's order, and the first of them where the index has only these in this order. */
  key: readonly string[];
  inIndex?: readonly string[] | undefined;
}

/** Returns the keys of a page of entries, in order. Each side of parties is an index range, read as far as needed. */
export function pageOfActivity(
  sql: Queryable,
  filter: PartyFilter,
  { table, isOf, condition, ...columns }: Activity,
  order: Order,
  page: PageRange,
): Fragment {
  const key = sql`${sql([...columns.key])}`;
  const orders = {
    order: inOrder(sql, columns.key, order),
    inIndex: columns.inIndex && inOrder(sql, columns.inIndex, order),
  };
  const entriesOf = (address: Address, isOnSide: Fragment) => sql`
    SELECT ${key} FROM ${table}
    WHERE ${isOf(address)} AND ${condition} ${behindPlace(sql, page, columns.key, order)} ${isOnSide}`;
  if ("address" in filter) {
    return pageOfBlocks(sql, entriesOf(filter.address, onSide(sql, filter.side)), orders, page);
  }
  const { from, to, operator } = filter.parties;
  const sent = from && entriesOf(from, onSide(sql, "from"));
  // A created contract does not count as a receiver.
  const received = to && entriesOf(to, sql`AND sides & 2 <> 0`);
  if (sent && received) {
    const most = { limit: page.limit + page.skip, skip: 0 };
    const first = (rows: Fragment) => pageOfBlocks(sql, rows, orders, most);
    const entries =
      operator === "or"
        ? sql`(${first(sent)}) UNION (${first(received)})`
        : sql`SELECT ${key} FROM (${sent}) sent JOIN (${received}) received USING (${key})`;
    return pageOfBlocks(sql, sql`SELECT ${key} FROM (${entries}) entries`, orders, page);
  }
  const only = sent ?? received;
  if (!only) throw new TypeError("a list of parties names none");
  return pageOfBlocks(sql, only, orders, page);
}

/** Returns the condition that the `sides` of an activity row contain the side, none without one. */
export function onSide(sql: Queryable, side: Side | undefined): Fragment {
  if (side === undefined) return sql``;
  return side === "from" ? sql`AND sides & 1 <> 0` : sql`AND sides & 6 <> 0`;
}
