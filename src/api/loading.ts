import { RequestError } from "../core/errors.ts";
import type { Queryable } from "../db/client.ts";
import { isIndexed } from "../store/sync-state.ts";

/** Throws `RequestError` while the first load runs, when only the head can be answered. */
export type LoadingGuard = () => Promise<void>;

const LOADING = "The first synchronisation is still running, please try again later";
const MAXIMUM_AGE_MS = 1000;

/** Creates the guard; it asks the database again only when its last answer is a second old. */
export function createLoadingGuard(sql: Queryable): LoadingGuard {
  let answer: Promise<boolean> | undefined;
  let askedAt = 0;
  return async () => {
    const now = performance.now();
    if (!answer || now - askedAt > MAXIMUM_AGE_MS) {
      askedAt = now;
      answer = isIndexed(sql);
      answer.catch(() => {
        answer = undefined;
      });
    }
    if (!(await answer)) throw new RequestError(503, LOADING);
  };
}
