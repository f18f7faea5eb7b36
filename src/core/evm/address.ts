import { type Hex, hexSlice, lowerHex } from "./hex.ts";

/** A 20-byte address, lower case inside and on the wire. */
export type Address = Hex;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";

/** Returns whether text is `0x` plus 40 hex digits, any letter case; an EIP-55 checksum is not verified (docs/wire.md, "Values"). */
export function isAddress(text: unknown): text is Address {
  return typeof text === "string" && ADDRESS.test(text);
}

/** Returns the address in lower case. */
export function lowerAddress(address: string): Address {
  return lowerHex(address);
}

/** Returns the address in the low 20 bytes of a 32-byte word (a log topic, a storage slot, an ABI word). */
export function addressOfWord(word: Hex): Address {
  return hexSlice(word, 12);
}

/** Returns the 32-byte word with an address in its low 20 bytes. */
export function wordOfAddress(address: Address): Hex {
  return `0x${"0".repeat(24)}${address.slice(2)}`;
}
