/** Ancestor of every error that Periscope raises itself. `code` is stable and for programs, the message for people. */
export class PeriscopeError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

const NO_START = "its settings or what is around it do not allow a start; the log says why";

/**
 * A setting or the environment (port, database, data folder) makes a start impossible; the message names the cure. It is
 * for the operator, and may name hosts, users and folders.
 */
export class ConfigError extends PeriscopeError {
  /** What anybody may read in place of the message. */
  readonly publicMessage: string;

  constructor(message: string, options: ErrorOptions & { publicMessage?: string } = {}) {
    super("config", message, options);
    this.publicMessage = options.publicMessage ?? NO_START;
  }
}

/** A `ConfigError` that anybody may read: it names settings, chains, blocks and versions alone. */
export class PublicConfigError extends ConfigError {
  constructor(message: string) {
    super(message, { publicMessage: message });
  }
}

/** The node failed or answered something that cannot be used. */
export class ChainError extends PeriscopeError {
  /** The same call may succeed later. */
  readonly retryable: boolean;

  constructor(code: string, message: string, options: ErrorOptions & { retryable?: boolean } = {}) {
    super(code, message, options);
    this.retryable = options.retryable ?? true;
  }
}

/** The database failed or holds something that it never should. */
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

/** Returns the refusal of a request that the server has no room for now. */
export function busy(wireMessage: string): RequestError {
  return new RequestError(503, "busy", wireMessage, { retryAfterSeconds: 5 });
}

/** For the `catch` of a question: undefined where the chain gave no usable answer. Throws any other error. */
export function asUnanswered(thrown: unknown): undefined {
  if (!(thrown instanceof ChainError)) throw thrown;
}

/** The message of anything thrown, without a stack. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The code of what the system or a driver threw (`EADDRINUSE`); the whole of it as text where there is none. */
export function codeOf(thrown: unknown): string {
  return String((thrown as NodeJS.ErrnoException).code ?? thrown);
}

/** What anybody may read of a start that failed. */
export function publicMessageOf(thrown: unknown): string {
  return thrown instanceof ConfigError ? thrown.publicMessage : NO_START;
}
