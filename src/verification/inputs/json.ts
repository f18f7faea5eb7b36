import { isRecord, refuse } from "./compiler-input.ts";

const MAX_DEPTH = 32;

/**
 * The object a text holds. Throws `VerificationError` of code `invalid-json` for anything else, and for one nested
 * deeper than 32 levels.
 */
export function parseObject(text: string): Record<string, unknown> {
  if (isTooDeep(text)) refuse(`It is nested deeper than ${MAX_DEPTH} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("It does not parse.");
  }
  return isRecord(value) ? value : refuse("It is no object.");
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > MAX_DEPTH) return true;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
    }
  }
  return false;
}

/** Index of the quote that closes the string opened at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text.charCodeAt(index) !== QUOTE) {
    index += text.charCodeAt(index) === BACKSLASH ? 2 : 1;
  }
  return index;
}
