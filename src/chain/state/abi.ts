import { decodeAbiParameters } from "../../core/deep-imports.ts";
import { type Hex, hexLength, hexSlice, hexToBytes } from "../../core/evm/hex.ts";
import { quantityToBigInt } from "../../core/evm/quantity.ts";

/** Longest contract answer that is read, in bytes. */
const LONGEST_ANSWER = 65_536;

const WORD = 32;

/** Decodes the first word of a contract's answer as an unsigned integer; null for a shorter answer. */
export function decodeUint(answer: Hex | null): bigint | null {
  if (answer === null || hexLength(answer) < WORD || hexLength(answer) > LONGEST_ANSWER)
    return null;
  return quantityToBigInt(hexSlice(answer, 0, WORD));
}

/** Decodes the first word as an integer of at most 8 bits, null for a larger one: the `decimals` of ERC-20. */
export function decodeUint8(answer: Hex | null): number | null {
  const value = decodeUint(answer);
  return value === null || value > 255n ? null : Number(value);
}

/** Decodes an ABI `string`, or the `bytes32` of old tokens, and cleans it; null for anything else. */
export function decodeText(answer: Hex | null): string | null {
  if (answer === null || hexLength(answer) > LONGEST_ANSWER) return null;
  const isWord = hexLength(answer) === WORD;
  const bytes = isWord ? (answer.replace(/(?:00)+$/, "") as Hex) : stringBytes(answer);
  return bytes === null ? null : cleanText(bytes);
}

/** Returns the raw bytes of an ABI `string`: viem's decoding loses invalid UTF-8. */
function stringBytes(answer: Hex): Hex | null {
  try {
    return decodeAbiParameters([{ type: "bytes" }], answer)[0];
  } catch {
    // The contract may return anything.
    return null;
  }
}

const LONGEST_TEXT = 255;

const utf8 = new TextDecoder();

/** Returns UTF-8 bytes as trimmed text of at most 255 characters, without control characters and line separators. */
export function cleanText(bytes: Hex): string {
  const text = utf8.decode(hexToBytes(bytes)).replaceAll(/[\p{Cc}\u2028\u2029\uFFFD]/gu, "");
  return [...text.trim()].slice(0, LONGEST_TEXT).join("").trim();
}
