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

/** Makes a start impossible; the message names the cure for the operator, and may name hosts, users and folders. */
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

/** Returns the refusal of a request that the server has no room for now. */
export function busy(wireMessage: string): RequestError {
  return new RequestError(503, wireMessage, { retryAfterSeconds: 5 });
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
