import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";
import type { SourcifyContext, SourcifyRequest } from "./endpoint.ts";
import { invalid, SourcifyError } from "./errors.ts";

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
