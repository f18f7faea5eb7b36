import { keccak256 } from "viem";
import { type Hex, hexFromBytes, hexToBytes } from "../../../src/core/evm/hex.ts";

const BYTES = 256;
const BITS = BYTES * 8;

/** The bits that the addresses and topics of logs set (Yellow Paper, section 4.3.1), each looked up only once. */
export interface Blooms {
  /** Bloom filter of what was added; `whole` gets the same bits. */
  of(items: Iterable<Hex>, whole: Buffer): Hex;
}

/** An empty bloom filter to be filled. */
export function emptyBloom(): Buffer {
  return Buffer.alloc(BYTES);
}

export function createBlooms(): Blooms {
  const known = new Map<Hex, readonly number[]>();

  function bitsOf(item: Hex): readonly number[] {
    let bits = known.get(item);
    if (!bits) {
      const hash = hexToBytes(keccak256(item));
      bits = [0, 2, 4].map((place) => hash.readUInt16BE(place) % BITS);
      known.set(item, bits);
    }
    return bits;
  }

  return {
    of(items, whole) {
      const bloom = emptyBloom();
      for (const item of items) {
        for (const bit of bitsOf(item)) {
          const byte = BYTES - 1 - (bit >> 3);
          bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
          whole[byte] = (whole[byte] ?? 0) | (1 << (bit & 7));
        }
      }
      return hexFromBytes(bloom);
    },
  };
}
