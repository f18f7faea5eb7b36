const LONGEST_TEXT = 300;
const SHORT_HEX_DIGITS = 128;
/** A log has as many topics at most. */
const PLAIN_ENTRIES = 4;

/**
 * An answer short enough to read: the first object of each list, up to four plain values of it, the beginnings of long
 * texts. Bytes stay whole bytes, and lists in a text stay JSON.
 */
export function shorten(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isPlain = value.every((entry) => typeof entry !== "object" || entry === null);
    return value.slice(0, isPlain ? PLAIN_ENTRIES : 1).map(shorten);
  }
  if (typeof value === "string" && value.length > LONGEST_TEXT) return shortText(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shorten(field)]));
}

function shortText(text: string): string {
  if (/^0x[0-9a-f]*$/.test(text)) return text.slice(0, 2 + SHORT_HEX_DIGITS);
  if (text.startsWith("[")) return JSON.stringify(shorten(JSON.parse(text)));
  return `${text.slice(0, LONGEST_TEXT)}…`;
}

/** The kinds of values by position: two answers of one action have the same, on any chain. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}
