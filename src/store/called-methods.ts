import type { Fragment, Queryable } from "../db/client.ts";

/**
 * Whether something is stored of the `to_address` of a transaction that may name the function it calls: a verified
 * source, or what it delegates to. Cheaper by far than the names, which most transactions do not have.
 */
export function mayBeNamed(sql: Queryable): Fragment {
  return sql`(
    EXISTS (SELECT 1 FROM verified_contracts WHERE address = to_address)
    OR EXISTS (SELECT 1 FROM proxies WHERE address = to_address))`;
}
