import { randomBytes } from "node:crypto";
import { type Address, isAddress, lowerAddress } from "../../core/address.ts";

const GUID = /^[0-9a-f]{56}$/i;

/** The identifier of a job or check that ends in 16 hex digits known beforehand. */
export function guidOf(address: Address, end: string): string {
  return address.slice(2) + end;
}

/** A new identifier of a job or check: the address, then 16 hex digits that nobody had before. */
export function createGuid(address: Address): string {
  return guidOf(address, randomBytes(8).toString("hex"));
}

/** The address that an identifier speaks of; undefined when it is none of ours. */
export function addressOfGuid(guid: string): Address | undefined {
  const address = `0x${guid.slice(0, 40)}`;
  return GUID.test(guid) && isAddress(address) ? lowerAddress(address) : undefined;
}
