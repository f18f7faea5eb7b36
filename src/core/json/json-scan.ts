/** Limits of JSON text to parse. */
export interface JsonBounds {
  /** Levels of arrays and objects. */
  depth: number;
  /** Brackets, commas, colons and strings, and every hundred bytes outside of strings (blanks, digits). */
  tokens: number;
}

/** Result of a scan: the outermost strings (of an object its keys and text values), or the exceeded limit. */
export type JsonScan = { kind: "fits"; strings: TextRange[] } | { kind: "too-deep" | "too-many" };

/** Range of a string, including its quotes: `[start, end)`. */
export type TextRange = readonly [start: number, end: number];

const BYTES_OF_A_TOKEN = 100;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes without a quote after which more are likely. */
const QUIET_BYTES = 256;
const WINDOW_BYTES = 4096;

/** Scans JSON text and stops at the first bound exceeded, so that parsing is bounded. Does not validate it. */
export function scanJson(text: Buffer, { depth: deepest, tokens: most }: JsonBounds): JsonScan {
  const strings: TextRange[] = [];
  let depth = 0;
  let tokens = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case QUOTE: {
        const end = endOfString(text, index);
        if (depth === 1) strings.push([index, end]);
        index = end - 1;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > deepest) return { kind: "too-deep" };
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x2c: // ,
      case 0x3a: // :
        break;
      default:
        if (++others % BYTES_OF_A_TOKEN !== 0) continue;
    }
    if (++tokens > most) return { kind: "too-many" };
  }
  return { kind: "fits", strings };
}

/** Returns the end of the string opened at `start`, behind its closing quote. */
function endOfString(text: Buffer, start: number): number {
  let index = start + 1;
  let sinceQuote = 0;
  while (index < text.length && text[index] !== QUOTE) {
    const width = text[index] === BACKSLASH ? 2 : 1;
    sinceQuote = width === 2 && text[index + 1] === QUOTE ? 0 : sinceQuote + width;
    index += width;
    if (sinceQuote < QUIET_BYTES) continue;
    index = skipWindows(text, index);
    sinceQuote = 0;
  }
  return Math.min(index + 1, text.length);
}

/** Skips whole windows without a quote, ten times as fast as byte by byte, and a character escaped at their end. */
function skipWindows(text: Buffer, start: number): number {
  let index = start;
  while (index < text.length && !text.subarray(index, index + WINDOW_BYTES).includes(QUOTE)) {
    index += WINDOW_BYTES;
  }
  let backslashes = 0;
  while (index - backslashes > start && text[index - backslashes - 1] === BACKSLASH) backslashes++;
  return index + (backslashes % 2);
}
