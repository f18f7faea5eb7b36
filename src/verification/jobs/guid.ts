import { randomBytes } from "node:crypto";
import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";

const GUID = /^[0-9a-f]{56}$/i;

/** The identifier of a job or check: the address, then the given 16 hex digits. */
export function guidOf(address: Address, end: string): string {
  return address.slice(2) + end;
}

/** A new identifier of a job or check: the address, then 16 random hex digits. */
export function createGuid(address: Address): string {
  return guidOf(address, randomBytes(8).toString("hex"));
}

/** The address in an identifier; undefined when the text is no identifier. */
export function addressOfGuid(guid: string): Address | undefined {
  const address = `0x${guid.slice(0, 40)}`;
  return GUID.test(guid) && isAddress(address) ? lowerAddress(address) : undefined;
}
