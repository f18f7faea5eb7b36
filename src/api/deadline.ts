import { RequestError } from "../core/errors.ts";
import { NODE_SILENT, TIMED_OUT } from "./failures.ts";
import type { Read } from "./state.ts";

/** Part of the time that a silent connection has until it is cut: before that the client is told. */
const SHARE = 0.9;

/**
 * What the work gives; throws `RequestError` when it takes nearly `requestTimeoutMs`, in the words that hold by then. A
 * database or a node that has stopped without a word would keep it for ever; the work itself goes on.
 */
export async function inTime<Result>(
  work: Promise<Result>,
  requestTimeoutMs: number,
  words: () => string = () => TIMED_OUT,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new RequestError(503, words())), requestTimeoutMs * SHARE);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the making of an answer waits for. */
export interface Waits {
  /** The same `read`, watched: outside of it the answer waits for the node. */
  watch(read: Read): Read;
  /** Names what was waited for too long. */
  words(): string;
}

/** Watches the making of one answer. */
export function createWaits(): Waits {
  let isForNode = false;
  return {
    watch: (read) => {
      isForNode = true;
      return async (query) => {
        isForNode = false;
        try {
          return await read(query);
        } finally {
          isForNode = true;
        }
      };
    },
    words: () => (isForNode ? NODE_SILENT : TIMED_OUT),
  };
}
