import type { Fragment, Queryable } from "./client.ts";
import { answerQueries } from "./driver.ts";

/**
 * A client whose queries are never sent: `answer` gives what they find, or undefined is given for the ones that are to be
 * read in parts.
 */
export function divertQueries(
  sql: Queryable,
  answer: (query: Fragment | undefined) => Promise<unknown>,
): Queryable {
  const diverted = answerQueries(answer);
  return new Proxy(sql, {
    apply: (target, self, values) => diverted(Reflect.apply(target, self, values)),
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      return typeof value === "function"
        ? (...values: unknown[]) => diverted(value.apply(target, values))
        : value;
    },
  });
}
