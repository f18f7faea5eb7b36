import { setImmediate as nextTurn } from "node:timers/promises";
import { RequestError } from "../core/errors.ts";
import type { Queryable } from "../db/client.ts";
import { MAXIMUM_ANSWER, PageTooLarge } from "../store/large-pages.ts";

/** Has large answers made one after the other, so that others are served in between. */
export interface LargeAnswers {
  /**
   * What `make` gives. `size` is that of its data in bytes, or asks the index for it before the data is read: what is
   * small is made at once, what is larger than an answer may be throws `PageTooLarge`, and the rest waits for its turn,
   * or is refused with `RequestError` when too many wait.
   */
  make<Result>(size: Size, make: () => Promise<Result>): Promise<Result>;
}

type Size = number | ((sql: Queryable) => Promise<number | undefined>);

const SMALL_BYTES = 500_000;
const MAXIMUM_WAITING = 100;
const BUSY = "Too many large answers are asked for at once, please try again later";

/** Creates the one queue of a server. */
export function createLargeAnswers(sql: Queryable): LargeAnswers {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  return {
    make: async (size, make) => {
      const bytes = typeof size === "number" ? size : ((await size(sql)) ?? 0);
      if (bytes > MAXIMUM_ANSWER) throw new PageTooLarge();
      if (bytes <= SMALL_BYTES) return make();
      if (waiting >= MAXIMUM_WAITING) throw new RequestError(503, BUSY);
      waiting++;
      const mine = last.then(async () => {
        const result = await make();
        await nextTurn();
        return result;
      });
      // The next one begins when this answer is text, which is made of the result before the loop turns again.
      last = mine.then(
        () => nextTurn(),
        () => {},
      );
      try {
        return await mine;
      } finally {
        waiting--;
      }
    },
  };
}
