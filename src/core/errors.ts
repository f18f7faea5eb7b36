/** Ancestor of every error that Periscope raises itself. `code` is stable and for programs, the message for people. */
export class PeriscopeError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A setting or the surroundings (port, database, data folder) make a start impossible; the message names the cure. */
export class ConfigError extends PeriscopeError {
  constructor(message: string, options?: ErrorOptions) {
    super("config", message, options);
  }
}

/** The node failed or answered something that cannot be used. `retryable`: the same call may succeed later. */
export class ChainError extends PeriscopeError {
  readonly retryable: boolean;

  constructor(code: string, message: string, options: ErrorOptions & { retryable: boolean }) {
    super(code, message, options);
    this.retryable = options.retryable;
  }
}

/** The database failed or holds something that it never should. */
export class StoreError extends PeriscopeError {}

/** A request that is answered with an error envelope: HTTP status and the wire's text. */
export class RequestError extends PeriscopeError {
  readonly httpStatus: number;
  /** When to try again, if that helps. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    httpStatus: number,
    wireMessage: string,
    options: ErrorOptions & { retryAfterSeconds?: number } = {},
  ) {
    super("request", wireMessage, options);
    this.httpStatus = httpStatus;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The message of anything thrown, without a stack. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
