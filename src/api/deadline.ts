import { RequestError } from "../core/errors.ts";
import { TIMED_OUT } from "./failures.ts";

/** Part of the time that a silent connection has until it is cut: before that the client is told. */
const SHARE = 0.9;

/**
 * What the work gives; throws `RequestError` when it takes nearly `requestTimeoutMs`. A database or a node that has
 * stopped without a word would keep it for ever; the work itself goes on.
 */
export async function inTime<Result>(
  work: Promise<Result>,
  requestTimeoutMs: number,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new RequestError(503, TIMED_OUT)), requestTimeoutMs * SHARE);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
