import { hexToBytes as bytesOf, keccak256 } from "viem";
import { type Hex, hexFromBytes, hexToBytes } from "../../../src/core/evm/hex.ts";

const BLOOM_BYTES = 256;

/** The bloom filter over address and topics of the logs. Source: Yellow Paper, section 4.3.1. */
export function bloomOf(logs: readonly { address: Hex; topics: readonly Hex[] }[]): Hex {
  const bloom = new Uint8Array(BLOOM_BYTES);
  for (const { address, topics } of logs) {
    for (const entry of [address, ...topics]) {
      const hash = bytesOf(keccak256(entry));
      for (const first of [0, 2, 4]) {
        const bit = (((hash[first] ?? 0) << 8) | (hash[first + 1] ?? 0)) & 2047;
        const place = BLOOM_BYTES - 1 - (bit >> 3);
        bloom[place] = (bloom[place] ?? 0) | (1 << (bit & 7));
      }
    }
  }
  return hexFromBytes(bloom);
}

/** The bits of all filters. */
export function joinBlooms(blooms: readonly Hex[]): Hex {
  const joined = new Uint8Array(BLOOM_BYTES);
  for (const bloom of blooms) {
    for (const [place, bits] of hexToBytes(bloom).entries())
      joined[place] = (joined[place] ?? 0) | bits;
  }
  return hexFromBytes(joined);
}
