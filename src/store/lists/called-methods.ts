import type { Fragment, Queryable } from "../../db/client.ts";

/** Returns whether something stored may name the called function: a verified source of the receiver, or a delegation. Cheap. */
export function mayBeNamed(sql: Queryable, receiver = sql`to_address`): Fragment {
  return sql`(
    EXISTS (SELECT 1 FROM verified_contracts WHERE address = ${receiver})
    OR EXISTS (SELECT 1 FROM proxies WHERE address = ${receiver}))`;
}
