import { randomBytes } from "node:crypto";
import { type Address, isAddress, lowerAddress } from "../../core/evm/address.ts";

const GUID = /^[0-9a-f]{56}$/i;

/** Returns the identifier of a job or check: the address, then the given 16 hex digits. */
export function guidOf(address: Address, end: string): string {
  return address.slice(2) + end;
}

/** Creates an identifier of a job or check: the address, then 16 random hex digits. */
export function createGuid(address: Address): string {
  return guidOf(address, randomBytes(8).toString("hex"));
}

/** Returns the address in an identifier; undefined for an invalid one. */
export function addressOfGuid(guid: string): Address | undefined {
  const address = `0x${guid.slice(0, 40)}`;
  return GUID.test(guid) && isAddress(address) ? lowerAddress(address) : undefined;
}
