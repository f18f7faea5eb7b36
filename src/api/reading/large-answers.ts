import { Admission } from "../../core/admission.ts";
import { RequestError } from "../../core/errors.ts";
import { calmTurn } from "../../core/turns.ts";
import type { Queryable } from "../../db/client.ts";
import { MAXIMUM_ANSWER, PageTooLarge } from "../../store/lists/large-pages.ts";

/** Makes large answers one at a time, so that other requests get a turn in between. */
export interface LargeAnswers {
  /** Makes a small answer at once, a large one in turn. Throws `PageTooLarge`, and `RequestError` when too many wait. */
  make<Result>(size: Size, make: () => Promise<Result>): Promise<Result>;
}

type Size = number | ((sql: Queryable) => Promise<number | undefined>);

const SMALL_BYTES = 500_000;
const MAXIMUM_WAITING = 99;
const BUSY = "Too many large answers are asked for at once, please try again later";

const queue = new Admission({
  capacity: () => 1,
  queue: { all: MAXIMUM_WAITING },
  refuse: () => new RequestError(503, "busy", BUSY),
});

/** Creates the answers over a client; all of a process share one queue. */
export function createLargeAnswers(sql: Queryable): LargeAnswers {
  return {
    make: async (size, make) => {
      const bytes = typeof size === "number" ? size : ((await size(sql)) ?? 0);
      if (bytes > MAXIMUM_ANSWER) throw new PageTooLarge();
      if (bytes <= SMALL_BYTES) return make();
      const release = await queue.enter();
      try {
        const result = await make();
        await calmTurn();
        return result;
      } finally {
        // The answer is serialised before the event loop turns again.
        void calmTurn().then(release);
      }
    },
  };
}
