import { createHash, randomUUID } from "node:crypto";
import { type ErrorCode, RequestError } from "../../core/errors.ts";
import { type Answer, jsonAnswer } from "../explorer/envelope.ts";

/** The error codes of Sourcify's dialect, for clients. */
const CODES = {
  invalid_parameter: "invalid-parameter",
  invalid_json: "bad-request",
  unsupported_chain: "wrong-chain",
  unsupported_language: "unsupported",
  job_not_found: "not-found",
  already_verified: "already-verified",
  too_many_requests: "rate-limited",
} as const satisfies Record<string, ErrorCode>;
type CustomCode = keyof typeof CODES;

/** A request of Sourcify's dialect to answer with an error object. */
export class SourcifyError extends RequestError {
  readonly customCode: CustomCode;

  constructor(
    httpStatus: number,
    customCode: CustomCode,
    message: string,
    options?: { parameter?: string; retryAfterSeconds?: number },
  ) {
    super(httpStatus, CODES[customCode], message, options);
    this.customCode = customCode;
  }
}

/** Returns the error for an invalid parameter. */
export function invalid(parameter: string, message: string): SourcifyError {
  return new SourcifyError(400, "invalid_parameter", message, { parameter });
}

/** Logs which answer an `errorId` belongs to. */
export interface ErrorLog {
  info(fields: { errorId: string }, message: string): void;
}

const CODES_OF_STATUS: Readonly<Record<number, CustomCode | "route_not_found">> = {
  400: "invalid_parameter",
  404: "route_not_found",
  405: "route_not_found",
  413: "invalid_parameter",
  415: "invalid_parameter",
  429: "too_many_requests",
};

/** Returns whether a URL belongs to Sourcify's dialect, also without the slash after its base, which clients omit. */
export function isSourcifyUrl(url: string): boolean {
  return /^\/+sourcify(?:v2|verify-ui)?(?:[/?]|$)/.test(url);
}

/** Returns the error object of a failed request. `customCode` follows from the status by default. */
export function errorAnswer(error: RequestError, log: ErrorLog | undefined): Answer {
  const { httpStatus, message } = error;
  const errorId = randomUUID();
  log?.info({ errorId }, "answered with an error");
  // Too much data on a page has HTTP 200 in the other dialects; here it needs another status.
  const status = httpStatus < 400 ? 503 : httpStatus;
  const customCode =
    error instanceof SourcifyError
      ? error.customCode
      : (CODES_OF_STATUS[status] ?? "internal_error");
  return jsonAnswer({ customCode, message, errorId }, status, error);
}

/** Returns the identifier of a job's failure: the same for every request, in the form of a UUID. */
export function errorIdOf(guid: string): string {
  const digits = createHash("sha256").update(guid).digest("hex");
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}
