import { keccak256 } from "../deep-imports.ts";
import { type Hex, hexFromBytes, hexToBytes } from "./hex.ts";

const BYTES = 256;
const BITS = BYTES * 8;

/** Returns the bloom filter of logs, as in a receipt: 256 bytes. Source: Yellow Paper, section 4.3.1. */
export function logsBloom(logs: readonly { address: Hex; topics: readonly Hex[] }[]): Hex {
  const bloom = Buffer.alloc(BYTES);
  const items = new Set(logs.flatMap(({ address, topics }) => [address, ...topics]));
  for (const item of items) {
    const hash = hexToBytes(keccak256(item));
    for (const place of [0, 2, 4]) {
      const bit = hash.readUInt16BE(place) % BITS;
      const byte = BYTES - 1 - (bit >> 3);
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
    }
  }
  return hexFromBytes(bloom);
}
