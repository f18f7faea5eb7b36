import type { Queryable } from "./client.ts";

/** The same client; `check` is called before each query, which is not sent when it throws. */
export function guardQueries(sql: Queryable, check: () => void): Queryable {
  return new Proxy(sql, {
    apply(target, self, values) {
      check();
      return Reflect.apply(target, self, values);
    },
  });
}
