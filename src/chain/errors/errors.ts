import { BaseError } from "../../core/deep-imports.ts";
import { ChainError } from "../../core/errors.ts";
import { type ChainErrorCode, KINDS, type RpcErrorObject } from "./codes.ts";
import { lookUpError } from "./error-table.ts";

/** The error of every node call. */
export class NodeError extends ChainError {
  declare readonly code: ChainErrorCode;
  readonly elsewhere: boolean;
  /** The node's `Retry-After`; 0 without one. */
  readonly retryAfterMs: number;
  /** The node's JSON-RPC error, if it sent one. */
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
  retryAfter?: string | undefined;
}

const OK: HttpAnswer = { status: 200 };

// A smaller batch would get these, too.
const NOT_OF_SIZE: ReadonlySet<ChainErrorCode> = new Set([
  "rate-limited",
  "timeout",
  "unavailable",
  "unauthorized",
]);

/** Returns the error for a JSON-RPC error of one call. `subject` names node and method. */
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

/** Returns the error for one JSON-RPC error of a whole batch. The remedy is a smaller batch, unless the node is unavailable. */
export function errorOfBatch(subject: string, answer: RpcErrorObject, http: HttpAnswer = OK) {
  const error = errorOfAnswer(subject, answer, http);
  return NOT_OF_SIZE.has(error.code) || error.code === "response-too-large"
    ? error
    : new NodeError("batch-too-large", error.message, { answer });
}

const LONGEST_RETRY_AFTER_MS = 30_000;

/** Parses `Retry-After` (RFC 9110: seconds or a date) into milliseconds, at most 30 s; 0 without one. */
export function parseRetryAfter(header: string | undefined): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Returns the error for an HTTP status of 400 and above without a JSON-RPC error; a refused batch is divided. */
export function errorOfStatus(subject: string, http: HttpAnswer, calls = 1): NodeError {
  const { status, retryAfter } = http;
  const meaning = lookUpError({ message: "", status }) ?? "unavailable";
  const code = meaning === "invalid-request" && calls > 1 ? "batch-too-large" : meaning;
  const retryAfterMs = parseRetryAfter(retryAfter);
  return new NodeError(code, `${subject}: HTTP ${status}`, { retryAfterMs });
}

/** Meanings of the codes of undici, the system and zlib. */
const TRANSPORT: readonly (readonly [RegExp, ChainErrorCode, string?])[] = [
  [/^UND_ERR_CONNECT_TIMEOUT$/, "unreachable", "no connection in time"],
  [/^E(?:CONNREFUSED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH)$/, "unreachable"],
  [/^Z_(?:BUF|DATA)_ERROR$/, "bad-answer", "the answer does not match its content-encoding"],
];

/** Returns the error for a failure of undici or zlib, whose messages name hosts, but no path or password. */
export function errorOfTransport(subject: string, thrown: unknown): NodeError {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  const [, meaning, words] = TRANSPORT.find(([codes]) => codes.test(code)) ?? [];
  return new NodeError(meaning ?? "unavailable", `${subject}: ${words ?? (code || message)}`);
}

/** Returns the node's error, also one wrapped by an action of viem. */
export function nodeErrorIn(thrown: unknown): NodeError | undefined {
  const error =
    thrown instanceof BaseError ? thrown.walk((one) => one instanceof NodeError) : thrown;
  return error instanceof NodeError ? error : undefined;
}

/** As `nodeErrorIn`; `bad-answer` where viem could not parse the answer. Returns anything else unchanged. */
export function unwrapError(thrown: unknown): unknown {
  const error = nodeErrorIn(thrown);
  if (error || !(thrown instanceof BaseError)) return error ?? thrown;
  return new NodeError("bad-answer", thrown.shortMessage, { cause: thrown });
}
