import type { Fragment, Queryable } from "../../db/client.ts";

/**
 * Whether something is stored of the receiver of a transaction, by default its `to_address`, that may name the function it calls: a verified
 * source, or what it delegates to. Cheaper by far than the names, which most transactions do not have.
 */
export function mayBeNamed(sql: Queryable, receiver = sql`to_address`): Fragment {
  return sql`(
    EXISTS (SELECT 1 FROM verified_contracts WHERE address = ${receiver})
    OR EXISTS (SELECT 1 FROM proxies WHERE address = ${receiver}))`;
}
