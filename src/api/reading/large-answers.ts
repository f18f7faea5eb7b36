import { RequestError } from "../../core/errors.ts";
import { calmTurn } from "../../core/turns.ts";
import type { Queryable } from "../../db/client.ts";
import { MAXIMUM_ANSWER, PageTooLarge } from "../../store/lists/large-pages.ts";

/** Makes large answers one after the other, so that other requests get a turn in between. */
export interface LargeAnswers {
  /**
   * The result of `make`. `size` is the size of its data in bytes, or reads it from the index first. A small answer is
   * made at once, a larger one waits for its turn. Throws `PageTooLarge` for more than an answer may hold, and
   * `RequestError` when too many wait.
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
        await calmTurn();
        return result;
      });
      // The next one begins when this answer is serialised, which happens before the event loop turns again.
      last = mine.then(
        () => calmTurn(),
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
