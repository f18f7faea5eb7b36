import { Admission } from "../../core/admission.ts";
import { within } from "../../core/async.ts";
import { RequestError } from "../../core/errors.ts";
import { calmTurn } from "../../core/turns.ts";
import type { Queryable } from "../../db/client.ts";
import { onStatement } from "../../db/statements.ts";
import { MAXIMUM_ANSWER, PageTooLarge } from "../../store/lists/large-pages.ts";
import type { Verifier } from "../../verification/verifier.ts";
import { NODE_SILENT, TIMED_OUT } from "../http/failures.ts";
import type { Read } from "./snapshot.ts";

/** Share of `requestTimeoutMs` for the work, so that the answer precedes the cut. */
const SHARE = 0.9;
/** Share that an answer may wait for the end of a verification. */
const WAITING_SHARE = 0.6;

/** Returns the work's result; throws the error from `late` after nearly `requestTimeoutMs`. The work continues. */
export function inTime<Result>(
  work: Promise<Result>,
  requestTimeoutMs: number,
  late = () => new RequestError(503, "timeout", TIMED_OUT),
): Promise<Result> {
  return within(requestTimeoutMs * SHARE, work, late);
}

/** Wraps a verifier; its waits leave enough of `requestTimeoutMs` to answer that the verification continues. */
export function waitingInTime(verifier: Verifier, requestTimeoutMs: number): Verifier {
  return {
    ...verifier,
    wait: (guid, timeoutMs, signal) =>
      verifier.wait(guid, Math.min(timeoutMs, requestTimeoutMs * WAITING_SHARE), signal),
  };
}

/** Waits of an answer in progress. */
export type Waits = ReturnType<typeof createWaits>;

/** Creates the watch of one answer's waits. */
export function createWaits() {
  let isForNode = false;
  let lateness: RequestError | undefined;
  const inTimeOnly = (sql: Queryable) =>
    onStatement(sql, (statement, send) => (lateness ? statement.reject(lateness) : send()));
  return {
    /** Wraps `read` so that a late answer sends no more statements; outside of it the answer waits for the node. */
    watch(read: Read): Read {
      isForNode = true;
      return async (query, extent) => {
        isForNode = false;
        try {
          return await read((sql, head) => query(inTimeOnly(sql), head), extent);
        } finally {
          isForNode = true;
        }
      };
    },
    /** Returns the error of a late answer: it names the slow part. */
    late(): RequestError {
      lateness = isForNode
        ? new RequestError(503, "node-unreachable", NODE_SILENT)
        : new RequestError(503, "timeout", TIMED_OUT);
      return lateness;
    },
  };
}

/** Makes large answers one at a time, so that other requests get a turn in between. */
export type LargeAnswers = ReturnType<typeof createLargeAnswers>;

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
export function createLargeAnswers(sql: Queryable) {
  return {
    /** Makes a small answer at once, a large one in turn. Throws `PageTooLarge`, and `RequestError` when too many wait. */
    async make<Result>(size: Size, make: () => Promise<Result>): Promise<Result> {
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
