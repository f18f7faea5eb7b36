import { within } from "../../core/async.ts";
import { RequestError } from "../../core/errors.ts";
import type { Queryable } from "../../db/client.ts";
import { onStatement } from "../../db/statements.ts";
import type { Verifier } from "../../verification/verifier.ts";
import { NODE_SILENT, TIMED_OUT } from "../http/failures.ts";
import type { Read } from "./snapshot.ts";

/**
 * Share of `requestTimeoutMs` that the work may take, so that the client gets an answer before its connection is cut.
 */
const SHARE = 0.9;
/** Share that an answer may wait for the end of a verification. */
const WAITING_SHARE = 0.6;

/**
 * The result of the work. Throws what `late` gives when it takes nearly `requestTimeoutMs`, for example because a database
 * or a node hangs. The work itself goes on.
 */
export function inTime<Result>(
  work: Promise<Result>,
  requestTimeoutMs: number,
  late = () => new RequestError(503, "timeout", TIMED_OUT),
): Promise<Result> {
  return within(requestTimeoutMs * SHARE, work, late);
}

/** The same verifier; its waits leave enough of `requestTimeoutMs` to answer that the verification goes on. */
export function waitingInTime(verifier: Verifier, requestTimeoutMs: number): Verifier {
  return {
    ...verifier,
    wait: (guid, timeoutMs, signal) =>
      verifier.wait(guid, Math.min(timeoutMs, requestTimeoutMs * WAITING_SHARE), signal),
  };
}

/** What an answer waits for while it is made. */
export interface Waits {
  /**
   * The same `read`, watched: outside of it the answer waits for the node. It sends nothing more for an answer that is late,
   * however many statements a search takes.
   */
  watch(read: Read): Read;
  /** The error of an answer that is late: it names what took too long. */
  late(): RequestError;
}

/** Watches the making of one answer. */
export function createWaits(): Waits {
  let isForNode = false;
  let lateness: RequestError | undefined;
  const inTimeOnly = (sql: Queryable) =>
    onStatement(sql, (statement, send) => (lateness ? statement.reject(lateness) : send()));
  return {
    watch: (read) => {
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
    late: () => {
      lateness = isForNode
        ? new RequestError(503, "node-unreachable", NODE_SILENT)
        : new RequestError(503, "timeout", TIMED_OUT);
      return lateness;
    },
  };
}
