import type { z } from "zod";
import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";
import type { Context } from "../explorer/action.ts";
import type { Answer } from "../explorer/envelope.ts";
import type { ServedChain } from "../serving/served-chain.ts";
import { invalid, SourcifyError } from "./errors.ts";

/** Input of a handler of Sourcify's dialect for one request. */
export interface SourcifyContext
  extends Omit<
    Context,
    "dialect" | "page" | "sent" | "usageOf" | "gasOracle" | "mempool" | "unresponsive"
  > {
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

/** One endpoint of Sourcify's dialect: the only place that describes it. */
export interface Endpoint {
  /** For the log, metrics and documentation. */
  name: string;
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
