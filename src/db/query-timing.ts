import type { Sql } from "./client.ts";
import { watchQueries } from "./driver.ts";

type Callable = (...values: unknown[]) => unknown;

/**
 * The same client. It calls `begun` whenever a query is sent, also inside a transaction, and what `begun` returned once
 * the query has ended. The wait for a free connection counts.
 */
export function timeQueries(sql: Sql, begun: () => () => void): Sql {
  const watched = watchQueries(begun);
  return new Proxy(sql, {
    apply: (target, self, values) => watched(Reflect.apply(target, self, values)),
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (property !== "begin") return value;
      return (...values: unknown[]) => (value as Callable)(...values.map(timeTransaction));
    },
  });

  function timeTransaction(value: unknown): unknown {
    if (typeof value !== "function") return value;
    return (transaction: Sql) => value(timeQueries(transaction, begun));
  }
}
