/** Bytes as `0x` text. Lower case wherever we made it; foreign text passes `isHexData` or `isHash` first. */
export type Hex = `0x${string}`;

export const HEX_DATA = /^0x(?:[0-9a-fA-F]{2})*$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** `0x` plus an even number of hex digits (also none), any letter case: the "data" of the JSON-RPC specification. */
export function isHexData(text: unknown): text is Hex {
  return typeof text === "string" && HEX_DATA.test(text);
}

/** `0x` plus 64 hex digits, any letter case. */
export function isHash(text: unknown): text is Hex {
  return typeof text === "string" && HASH.test(text);
}

/** The same bytes in lower case. */
export function lowerHex(text: string): Hex {
  return text.toLowerCase() as Hex;
}

/** Number of bytes of `0x` data. */
export function hexLength(hex: Hex): number {
  return (hex.length - 2) >> 1;
}

/** Bytes `start` (inclusive) to `end` (exclusive) of `0x` data; shorter when the data ends before. */
export function hexSlice(hex: Hex, start: number, end?: number): Hex {
  return `0x${hex.slice(2 + start * 2, end === undefined ? undefined : 2 + end * 2)}`;
}

/** Word `index` of ABI-encoded data: 32 bytes. */
export function wordAt(hex: Hex, index: number): Hex {
  return hexSlice(hex, index * 32, (index + 1) * 32);
}

/** `0x` data of the parts, one behind the other. */
export function hexConcat(...parts: Hex[]): Hex {
  return `0x${parts.map((part) => part.slice(2)).join("")}`;
}

/** `0x` text, lower case, of bytes. */
export function hexFromBytes(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** Bytes of `0x` data. The caller knows that it is well formed (`isHexData`). */
export function hexToBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}
