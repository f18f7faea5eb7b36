/** Base class of all Periscope errors. `code` is stable and for programs, the message for people. */
export class PeriscopeError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

const NO_START = "its settings or what is around it do not allow a start; the log says why";

/** Makes a start impossible; the message names the cure for the operator, and may name hosts, users and folders. */
export class ConfigError extends PeriscopeError {
  /** The public form of the message. */
  readonly publicMessage: string;

  constructor(message: string, options: ErrorOptions & { publicMessage?: string } = {}) {
    super("config", message, options);
    this.publicMessage = options.publicMessage ?? NO_START;
  }
}

/** A `ConfigError` with a public message: it contains only settings, chains, blocks and versions. */
export class PublicConfigError extends ConfigError {
  constructor(message: string) {
    super(message, { publicMessage: message });
  }
}

/** The node failed or gave an unusable answer. */
export class ChainError extends PeriscopeError {
  readonly retryable: boolean;

  constructor(code: string, message: string, options: ErrorOptions & { retryable?: boolean } = {}) {
    super(code, message, options);
    this.retryable = options.retryable ?? true;
  }
}

/** The database failed or has invalid content. */
export class StoreError extends PeriscopeError {}

/** Codes of `x-periscope-error`: they never change their meaning. Source: docs/wire.md, "Error codes". */
export const ERROR_CODES = [
  "unknown-path",
  "method-not-allowed",
  "missing-action",
  "unknown-module",
  "unknown-action",
  "bad-request",
  "too-long",
  "rate-limited",
  "busy",
  "wrong-chain",
  "chain-stopped",
  "loading",
  "missing-parameter",
  "invalid-parameter",
  "window-too-large",
  "invalid-cursor",
  "stale-cursor",
  "empty",
  "not-found",
  "not-verified",
  "not-a-contract",
  "already-verified",
  "verification-pending",
  "verification-failed",
  "state-unavailable",
  "unsupported",
  "timeout",
  "too-large",
  "reverted",
  "node-error",
  "node-unreachable",
  "database-unreachable",
  "forbidden",
  "internal",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Why an answer has no result, for programs. */
export interface Fault {
  code: ErrorCode;
  /** The parameter that is absent or bad, in the wire's spelling. */
  parameter?: string | undefined;
}

/** A request that is answered with an error envelope: HTTP status, code and the wire's text. */
export class RequestError extends PeriscopeError implements Fault {
  declare readonly code: ErrorCode;
  readonly httpStatus: number;
  readonly parameter: string | undefined;
  /** When to try again, if that helps. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    httpStatus: number,
    code: ErrorCode,
    wireMessage: string,
    options: ErrorOptions & { parameter?: string; retryAfterSeconds?: number } = {},
  ) {
    super(code, wireMessage, options);
    this.httpStatus = httpStatus;
    this.parameter = options.parameter;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Returns the refusal of a request at the server's capacity. */
export function busy(wireMessage: string): RequestError {
  return new RequestError(503, "busy", wireMessage, { retryAfterSeconds: 5 });
}

/** Handles a rejected question: undefined where the chain gave no usable answer. Throws any other error. */
export function asUnanswered(thrown: unknown): undefined {
  if (!(thrown instanceof ChainError)) throw thrown;
}

/** Returns the message of any thrown value, without a stack. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns the code of a system's or driver's error (`EADDRINUSE`); the whole error as text without one. */
export function codeOf(thrown: unknown): string {
  return String((thrown as NodeJS.ErrnoException).code ?? thrown);
}

/** Returns the public message of a failed start. */
export function publicMessageOf(thrown: unknown): string {
  return thrown instanceof ConfigError ? thrown.publicMessage : NO_START;
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "there is none",
  ENOTDIR: "a file stands in its place or in the path to it",
  EISDIR: "a folder stands in its place",
  EACCES: "this user has no right to it",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
};

/** Returns why a file or folder is unusable, as the end of a sentence; without its name for known system codes. */
export function pathFault(error: unknown): string {
  return FAULTS[codeOf(error)] ?? messageOf(error);
}
