import { type Hex, hexFromBytes } from "../../../src/core/evm/hex.ts";
import { createRandom, type Random } from "../../support/world/random.ts";

const WORD_DIGITS = 64;

/** `0x` text of random bytes that do not come again: a hash, an address. `length` is a multiple of 4. */
export function randomBytes(random: Random, length: number): Hex {
  const bytes = Buffer.allocUnsafe(length);
  for (let place = 0; place < length; place += 4)
    bytes.writeUInt32LE(random.integer(2 ** 32), place);
  return hexFromBytes(bytes);
}

const FILLER_BYTES = 2 ** 16;
const FILLER = randomBytes(createRandom(0), FILLER_BYTES).slice(2);

/** `0x` text of bytes that only have to look random, at a fraction of the cost. */
export function fillerBytes(random: Random, length: number): Hex {
  const start = 2 * random.integer(FILLER_BYTES - length);
  return `0x${FILLER.slice(start, start + 2 * length)}`;
}

/** An index below `count`: the lower, the likelier, as with addresses and tokens on a real chain. */
export function skewed(random: Random, count: number): number {
  return Math.floor(count * (random.integer(2 ** 32) / 2 ** 32) ** 3);
}

/** A count of 0 or more with that average. */
export function around(random: Random, average: number): number {
  return random.integer(2 * average + 1);
}

/** The digits of a value as a 32-byte word, without `0x`. */
export function wordDigits(value: number | bigint | Hex): string {
  const digits = typeof value === "string" ? value.slice(2) : value.toString(16);
  return digits.padStart(WORD_DIGITS, "0");
}

/** A value as a 32-byte word. */
export function word(value: number | bigint | Hex): Hex {
  return `0x${wordDigits(value)}`;
}
