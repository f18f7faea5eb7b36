import type { Sql } from "./client.ts";

type Callable = (...values: unknown[]) => unknown;

/**
 * The same client, which calls `begun` whenever a query is sent and what that returned once the query has ended; also
 * for the queries inside its transactions. The wait for a free connection counts.
 */
export function timeQueries(sql: Sql, begun: () => () => void): Sql {
  return new Proxy(sql, {
    apply: (target, self, values) => timeQuery(Reflect.apply(target, self, values), begun),
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

/** Templates are sent when they are first awaited; those that become part of another one never are. */
function timeQuery(query: object, begun: () => () => void): object {
  if (!(query instanceof Promise)) return query;
  const then = query.then.bind(query);
  let sent = false;
  return Object.assign(query, {
    // biome-ignore lint/suspicious/noThenProperty: a query is sent by its `then`, there is no other sign of it
    then: (...handlers: Parameters<typeof then>) => {
      if (!sent) {
        sent = true;
        const ended = begun();
        then(ended, ended);
      }
      return then(...handlers);
    },
  });
}
