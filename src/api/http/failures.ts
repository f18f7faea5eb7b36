import type { RpcErrorObject } from "../../chain/errors/codes.ts";
import { lookUpError } from "../../chain/errors/error-table.ts";
import { CALLER_TIMEOUT_MS } from "../../chain/options.ts";
import type { Unanswered } from "../../chain/questions.ts";
import { ChainError, type ErrorCode, RequestError } from "../../core/errors.ts";
import { failureCodeOf, isDatabaseGone } from "../../db/failures.ts";
import { PageTooLarge } from "../../store/lists/large-pages.ts";
import { InvalidKey } from "../../store/lists/page.ts";
import { payloadTooLarge } from "./input/form.ts";

const DATABASE_GONE = "The database does not answer, please try again later";
const DATABASE_OF_ANOTHER_VERSION =
  "The database does not have the tables of this version, please try again later";
/** Error text for an answer that takes too long. */
export const TIMED_OUT = "Request timed out, please narrow the range or use smaller pages";
/** Error text for a cursor that no answer contained. */
export const INVALID_CURSOR = "Invalid cursor";
/** Error text for an answer above the size limit. */
export const TOO_LARGE = "The answer is too large, please narrow the range or use smaller pages";
/** Error text for a request that waited too long for the node. */
export const NODE_SILENT =
  "The node does not answer in time, please try again later; it is not the range or the page that is too large";
/** Etherscan's spelling: clients halve their range when a message begins so. */
export const QUERY_TIMEOUT = "Query Timeout occured. Please select a smaller result dataset";
/** Error text for a call that exceeds the caller quota of the node's queue. */
const BUSY = "Too many calls wait for the node, please try again later";
/** A JSON-RPC error object, and its code for programs. */
export interface RpcFault {
  error: RpcErrorObject;
  code: ErrorCode;
}

/** Error of a node that cannot be reached, or whose answer cannot be used. */
const UNREACHABLE: RpcFault = {
  error: { code: -32_603, message: "upstream node is not reachable" },
  code: "node-unreachable",
};
const SERVER_ERROR = -32_000;
/** EIP-1474: limit exceeded. */
const LIMIT_EXCEEDED = -32_005;
const NODE_GONE = "The node does not answer, please try again later";

/** The errors for calls that the node did not answer. */
export const UNANSWERED: Readonly<Record<Unanswered, RpcFault>> = {
  unreachable: UNREACHABLE,
  busy: { error: { code: LIMIT_EXCEEDED, message: BUSY }, code: "busy" },
  late: {
    error: {
      code: SERVER_ERROR,
      message: `upstream node gave no answer within ${CALLER_TIMEOUT_MS / 1000} s`,
    },
    code: "node-unreachable",
  },
};

/** Returns the code of an error that the node answered. */
export function codeOfAnswer(error: RpcErrorObject): ErrorCode {
  const means = lookUpError({ ...error, status: 200 });
  if (means === "reverted" || means === "out-of-gas") return "reverted";
  return means === "state-unavailable" ? means : "node-error";
}

/** The error for a path that is not there. */
export function unknownPath(): RequestError {
  return new RequestError(404, "unknown-path", "Not found");
}

/** The error for a method that a path does not take. */
export function methodNotAllowed(): RequestError {
  return new RequestError(405, "method-not-allowed", "Method not allowed");
}

const QUERY_CANCELLED = "57014";
/** A replica cancelled the query because the rows it read are gone on the primary. */
const RECOVERY_CONFLICT = "40001";
/** Missing table, column, function or schema: a lagging replica, or an upgrade in progress on another server. */
const OTHER_TABLES = /^(?:42P01|42703|42883|3F000)$/;

/** The database cancelled a query at its time limit. */
export class QueryTimedOut extends RequestError {
  constructor(cause: Error) {
    super(503, "timeout", TIMED_OUT, { cause });
  }
}

/** Returns HTTP status and the wire's text for a handler's error; undefined for an unexpected fault. */
export function requestErrorOf(thrown: unknown): RequestError | undefined {
  if (thrown instanceof RequestError) return thrown;
  if (thrown instanceof ChainError) {
    const isBusy = thrown.code === "busy";
    const text = isBusy ? BUSY : thrown.code === "aborted" ? NODE_SILENT : NODE_GONE;
    return new RequestError(503, isBusy ? "busy" : "node-unreachable", text, { cause: thrown });
  }
  if (thrown instanceof PageTooLarge) {
    return new RequestError(200, "too-large", TOO_LARGE, { cause: thrown });
  }
  if (thrown instanceof InvalidKey) {
    return new RequestError(200, "invalid-cursor", INVALID_CURSOR, { cause: thrown });
  }
  if (!(thrown instanceof Error)) return undefined;
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown };
  if (code === QUERY_CANCELLED) return new QueryTimedOut(thrown);
  if (isDatabaseGone(thrown) || code === RECOVERY_CONFLICT) {
    return new RequestError(503, "database-unreachable", DATABASE_GONE, { cause: thrown });
  }
  if (OTHER_TABLES.test(failureCodeOf(thrown) ?? "")) {
    return new RequestError(503, "database-unreachable", DATABASE_OF_ANOTHER_VERSION, {
      cause: thrown,
    });
  }
  if (statusCode === 413) return payloadTooLarge();
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new RequestError(400, "bad-request", "Bad request", { cause: thrown });
  }
  return undefined;
}

/** Returns the JSON-RPC error object for a handler's error; undefined for an unexpected fault. */
export function rpcErrorOf(thrown: unknown): RpcFault | undefined {
  const known = requestErrorOf(thrown);
  if (!known) return undefined;
  if (known.code === "node-unreachable") return UNREACHABLE;
  const message = known instanceof QueryTimedOut ? QUERY_TIMEOUT : known.message;
  return { error: { code: SERVER_ERROR, message }, code: known.code };
}
