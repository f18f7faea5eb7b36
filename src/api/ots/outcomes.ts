import type { z } from "zod";
import type { RpcErrorObject } from "../../chain/errors/codes.ts";
import { type ErrorCode, RequestError } from "../../core/errors.ts";
import { quantity } from "../../core/evm/quantity.ts";
import type { IndexMethod, RpcContext } from "../eth-rpc/rpc.ts";
import type { Outcome } from "../explorer/envelope.ts";
import { tag } from "../explorer/modules/proxy/arguments.ts";
import { findNumber } from "../explorer/modules/proxy/index-methods.ts";

export const INVALID_PARAMETERS = -32_602;
/** EIP-1474. */
export const LIMIT_EXCEEDED = -32_005;
const SERVER_ERROR = -32_000;

/** An answer that is an error object. */
export class RpcError extends RequestError {
  readonly error: RpcErrorObject;

  constructor(error: RpcErrorObject, code: ErrorCode) {
    super(200, code, error.message);
    this.error = error;
  }
}

/** Returns the result of an outcome. Throws `RpcError`. */
export function resultOf<Result>(outcome: Outcome<Result>): Result {
  if (outcome.kind === "ok") return outcome.result;
  if (outcome.kind === "rpc-error") throw new RpcError(outcome.error, outcome.code);
  throw invalid(outcome.kind === "failed" ? outcome.text : "unexpected answer");
}

function invalid(message: string): RpcError {
  const isAbsent = message.startsWith("missing");
  const code = isAbsent ? "missing-parameter" : "invalid-parameter";
  return new RpcError({ code: INVALID_PARAMETERS, message }, code);
}

/** Returns the error for an answer that cannot be made. */
export function unavailable(
  message: string,
  number = SERVER_ERROR,
  code: ErrorCode = number === LIMIT_EXCEEDED ? "too-large" : "unsupported",
): RpcError {
  return new RpcError({ code: number, message }, code);
}

/** Parses a value. Throws `RpcError`. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues[0]?.message ?? "invalid argument");
}

/** Returns a block's number in hex where it is a JSON number or decimal text, else the value itself. */
export function blockInHex(value: unknown): unknown {
  const isNumber = Number.isSafeInteger(value) && Number(value) >= 0;
  return isNumber || (typeof value === "string" && /^\d{1,78}$/.test(value))
    ? quantity(value as number | string)
    : value;
}

/** Returns a block's number, undefined for the served head. */
export async function numberOfBlock(
  context: RpcContext,
  value: unknown,
  place: number,
): Promise<number | undefined> {
  const block = parse(tag(place), blockInHex(value));
  return block === "pending" ? undefined : resultOf(await findNumber(context, block));
}

/** Parses a number of at least `least` and at most `most`. */
export function wholeNumber(
  value: unknown,
  place: number,
  [least, most]: readonly [number, number] = [0, Number.MAX_SAFE_INTEGER],
): number {
  const text = typeof value === "string" && /^(?:0x[0-9a-fA-F]{1,14}|\d{1,16})$/.test(value);
  const number = text ? Number(value) : value;
  if (
    typeof number === "number" &&
    Number.isSafeInteger(number) &&
    number >= least &&
    number <= most
  ) {
    return number;
  }
  throw invalid(`invalid argument ${place}: not a number from ${least} to ${most}`);
}

/** Declares a method by the number of its parameters; without an answer's frame. */
export function method(
  parameters: IndexMethod["parameters"],
  find: (context: RpcContext, parameters: readonly unknown[]) => Promise<unknown>,
): IndexMethod {
  return {
    parameters,
    answer: async (context, given) => ({ result: await find(context, given) }),
  };
}
