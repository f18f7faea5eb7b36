import { hash, randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { z } from "zod";
import { type ErrorCode, RequestError } from "../../core/errors.ts";
import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";
import type { Context, Reading } from "../explorer/action.ts";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import type { ServedChain } from "../serving/served-chain.ts";

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

const CODES_OF_STATUS: Readonly<Record<number, CustomCode | "route_not_found">> = {
  400: "invalid_parameter",
  404: "route_not_found",
  405: "route_not_found",
  413: "invalid_parameter",
  415: "invalid_parameter",
  429: "too_many_requests",
};

/** Returns the error object of a failed request. `customCode` follows from the status by default. */
export function errorAnswer(error: RequestError, log: FastifyBaseLogger | undefined): Answer {
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
  const digits = hash("sha256", guid, "hex");
  const variant = ((Number.parseInt(digits.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join("-");
}

/** Input of a handler of Sourcify's dialect for one request. */
export interface SourcifyContext
  extends Reading,
    Pick<Context, "largeAnswers" | "client" | "signal"> {
  networkName: string | undefined;
  /** All chains that the request may mean. */
  chains: readonly ServedChain[];
}

/** A request as it was sent, not yet checked. */
export interface SourcifyRequest {
  /** The URL's path as it was sent, with a chain's part before the base. */
  path: string;
  parameters: Readonly<Record<string, string>>;
  /** Returns the last value of a name in the query; undefined when absent or empty. */
  query(name: string): string | undefined;
  /** Returns the JSON object in the body. Throws `SourcifyError`. */
  body(): Record<string, unknown>;
}

/** Description of an answer with one HTTP status. */
export interface DescribedAnswer {
  description: string;
  /** Absent for an answer without a JSON body. */
  schema?: z.ZodType;
}

/** One endpoint of Sourcify's dialect: the only place that describes it. Its name is for the log, metrics and documentation. */
export interface Endpoint {
  /** Path below the base, with `{name}` for its parameters. */
  path: string;
  /** One line for people, without a full stop. */
  summary: string;
  /** Parts of the query, all of them text. */
  query?: Readonly<Record<string, string>>;
  /** Schema of a submission's body: with one it is a POST, else a GET. */
  body?: z.ZodType;
  /** Answers by HTTP status, without the error objects. */
  answers: Readonly<Record<number, DescribedAnswer>>;
  /** Returns the chain when the path names none; by default the first active one. */
  chainOf?(
    request: SourcifyRequest,
    chains: readonly ServedChain[],
  ): Promise<ServedChain | undefined>;
  handle(context: SourcifyContext, request: SourcifyRequest): Promise<SourcifyAnswer>;
}

type SourcifyAnswer = Answer & { location?: string };

/** Throws `SourcifyError` unless the path names this chain, `RequestError` until its id is known. */
export function requireChain(
  { chainId }: Pick<SourcifyContext, "chainId">,
  { parameters: { chainId: sent = "" } }: SourcifyRequest,
): void {
  if (!/^\d{1,20}$/.test(sent)) throw invalid("chainId", `Invalid chainId: ${sent}`);
  if (BigInt(sent) !== BigInt(chainId())) {
    throw new SourcifyError(400, "unsupported_chain", `Chain ${sent} not found`);
  }
}

/** Parses the address in the path. Throws `SourcifyError`. */
export function requireAddress({ parameters: { address = "" } }: SourcifyRequest): Address {
  if (!isAddress(address)) throw invalid("address", `Invalid address: ${address}`);
  return lowerAddress(address);
}

/** Parses a whole decimal number of the query from `least` to `most`. Throws `SourcifyError`. */
export function numberOf(
  request: SourcifyRequest,
  name: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const text = request.query(name);
  if (text === undefined) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw invalid(name, `${name} is to be a whole number from ${least} to ${most}`);
}
