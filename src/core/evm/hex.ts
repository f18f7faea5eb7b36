/** Bytes as `0x` text. Our own are lower case; external text passes `isHexData` or `isHash` first. */
export type Hex = `0x${string}`;

export const HEX_DATA = /^0x(?:[0-9a-fA-F]{2})*$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** Returns whether text is `0x` plus an even number of hex digits (also none): JSON-RPC's "data". */
export function isHexData(text: unknown): text is Hex {
  return typeof text === "string" && HEX_DATA.test(text);
}

/** Returns whether text is `0x` plus 64 hex digits, any letter case. */
export function isHash(text: unknown): text is Hex {
  return typeof text === "string" && HASH.test(text);
}

/** Returns the same bytes in lower case. */
export function lowerHex(text: string): Hex {
  return text.toLowerCase() as Hex;
}

/** Returns the number of bytes of `0x` data. */
export function hexLength(hex: Hex): number {
  return (hex.length - 2) >> 1;
}

/** Returns bytes `start` (inclusive) to `end` (exclusive) of `0x` data; fewer when the data ends before. */
export function hexSlice(hex: Hex, start: number, end?: number): Hex {
  return `0x${hex.slice(2 + start * 2, end === undefined ? undefined : 2 + end * 2)}`;
}

/** Returns word `index` of ABI-encoded data: 32 bytes. */
export function wordAt(hex: Hex, index: number): Hex {
  return hexSlice(hex, index * 32, (index + 1) * 32);
}

/** Returns a number below 2^256 as a word. */
export function wordOf(value: bigint | number): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

/** Concatenates `0x` data. */
export function hexConcat(...parts: Hex[]): Hex {
  return `0x${parts.map((part) => part.slice(2)).join("")}`;
}

/** Returns bytes as lower-case `0x` text. */
export function hexFromBytes(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}

/** Returns the bytes of `0x` data, which must be well formed (`isHexData`). */
export function hexToBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}
