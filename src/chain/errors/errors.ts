import { BaseError } from "../../core/deep-imports.ts";
import { ChainError } from "../../core/errors.ts";
import { type ChainErrorCode, KINDS, type RpcErrorObject } from "./codes.ts";
import { lookUpError } from "./error-table.ts";

/** The error of all that talks to nodes. */
export class NodeError extends ChainError {
  declare readonly code: ChainErrorCode;
  /** The same call may succeed at another node. */
  readonly elsewhere: boolean;
  /** How long the node asked to be left alone; 0 when it did not. */
  readonly retryAfterMs: number;
  /** What the node answered, when it answered an error. */
  readonly answer: RpcErrorObject | undefined;

  constructor(
    code: ChainErrorCode,
    message: string,
    details: ErrorOptions & { retryAfterMs?: number; answer?: RpcErrorObject } = {},
  ) {
    super(code, message, { ...details, retryable: KINDS[code].retryable });
    this.elsewhere = KINDS[code].elsewhere;
    this.retryAfterMs = details.retryAfterMs ?? 0;
    this.answer = details.answer;
  }
}

const LONGEST_QUOTE = 200;

/** The HTTP answer that carried an error. */
export interface HttpAnswer {
  status: number;
  /** Header `Retry-After`. */
  retryAfter?: string | undefined;
}

const OK: HttpAnswer = { status: 200 };

// A smaller batch would meet these, too.
const NOT_OF_SIZE: ReadonlySet<ChainErrorCode> = new Set([
  "rate-limited",
  "timeout",
  "unavailable",
  "unauthorized",
]);

/** Error of an error object that the node answered to one call. `subject` names node and method. */
export function errorOfAnswer(
  subject: string,
  answer: RpcErrorObject,
  { status, retryAfter }: HttpAnswer = OK,
): NodeError {
  const code = lookUpError({ ...answer, status }) ?? "node-error";
  const quote = answer.message.slice(0, LONGEST_QUOTE);
  return new NodeError(code, `${subject}: ${quote} (${answer.code})`, {
    answer,
    retryAfterMs: NOT_OF_SIZE.has(code) ? parseRetryAfter(retryAfter) : 0,
  });
}

/** Returns the error of a batch that was refused as a whole: a smaller one is the cure, unless the node cannot answer now. */
export function errorOfBatch(
  subject: string,
  answer: RpcErrorObject,
  http: HttpAnswer = OK,
): NodeError {
  const error = errorOfAnswer(subject, answer, http);
  return NOT_OF_SIZE.has(error.code) || error.code === "response-too-large"
    ? error
    : new NodeError("batch-too-large", error.message, { answer });
}

const LONGEST_RETRY_AFTER_MS = 30_000;

/** Milliseconds of a `Retry-After` header (RFC 9110: seconds or a date), at most 30 s; 0 without one. */
export function parseRetryAfter(header: string | undefined): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Error of an HTTP status of 400 and above whose body is no JSON-RPC error. */
export function errorOfStatus(subject: string, { status, retryAfter }: HttpAnswer): NodeError {
  const code = lookUpError({ message: "", status }) ?? "unavailable";
  const retryAfterMs = parseRetryAfter(retryAfter);
  return new NodeError(code, `${subject}: HTTP ${status}`, { retryAfterMs });
}

/** Error of something that undici or zlib threw. Their messages name hosts at most, never a path or a password. */
export function errorOfTransport(subject: string, thrown: unknown): NodeError {
  const { code, message } = thrown as NodeJS.ErrnoException;
  switch (code) {
    case "UND_ERR_CONNECT_TIMEOUT":
      return new NodeError("unreachable", `${subject}: no connection in time`);
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return new NodeError("unreachable", `${subject}: ${code}`);
    case "Z_BUF_ERROR":
    case "Z_DATA_ERROR":
      return new NodeError("bad-answer", `${subject}: the answer is not what its encoding says`);
    default:
      return new NodeError("unavailable", `${subject}: ${code ?? message}`);
  }
}

/** The node's error, also where an action of viem wrapped it; undefined where there is none. */
export function nodeErrorIn(thrown: unknown): NodeError | undefined {
  const error =
    thrown instanceof BaseError ? thrown.walk((one) => one instanceof NodeError) : thrown;
  return error instanceof NodeError ? error : undefined;
}

/** As `nodeErrorIn`; `bad-answer` where viem could not read what the node said. Anything else as it is. */
export function unwrapError(thrown: unknown): unknown {
  const error = nodeErrorIn(thrown);
  if (error || !(thrown instanceof BaseError)) return error ?? thrown;
  return new NodeError("bad-answer", thrown.shortMessage, { cause: thrown });
}
