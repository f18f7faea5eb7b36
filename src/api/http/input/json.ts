import { scanJson, type TextRange } from "../../../core/json/json-scan.ts";
import { isRecord } from "../../../core/json/record.ts";
import { badRequest, decodeUtf8, payloadTooLarge } from "./form.ts";

/** Limits of any JSON body. A submission has some 5,000 files at most. */
const JSON_BOUNDS = { depth: 64, tokens: 50_000 };
type Reviver = Parameters<typeof JSON.parse>[1];
// Bounded: the time to parse a number grows with the square of its length.
const LARGE = /^-?\d{16,100}$/;

/** Parses JSON text. Throws `RequestError` when it is invalid or exceeds `JSON_BOUNDS`, or the given number of tokens. */
export function parseJson(text: Buffer, tokens?: number): unknown {
  boundJson(text, tokens);
  return parseText(decodeUtf8(text));
}

/** Checks JSON text against its bounds and returns its outermost strings. Throws `RequestError`. */
export function boundJson(text: Buffer, tokens = JSON_BOUNDS.tokens): readonly TextRange[] {
  const scan = scanJson(text, { ...JSON_BOUNDS, tokens });
  switch (scan.kind) {
    case "fits":
      return scan.strings;
    case "too-deep":
      throw badRequest();
    case "too-many":
      throw payloadTooLarge();
  }
}

/** Parses JSON text that is within its bounds. Throws `RequestError` when it is invalid. */
export function parseText(text: string, reviver?: Reviver): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    throw badRequest(error);
  }
}

/** Parses JSON; unsafe integers become bigints in the outermost object, or in the objects of the outermost list. */
export function parseMembers(text: string): unknown {
  const large: { holder: unknown; name: string; digits: string }[] = [];
  function note(this: unknown, name: string, value: unknown, { source = "" }: { source?: string }) {
    if (typeof value === "number" && !Number.isSafeInteger(value) && LARGE.test(source)) {
      large.push({ holder: this, name, digits: source });
    }
    return value;
  }
  // TypeScript's types lack the third parameter.
  const value = parseText(text, note as Reviver);
  const objects = new Set(Array.isArray(value) ? value : [value]);
  for (const { holder, name, digits } of large) {
    if (objects.has(holder) && isRecord(holder)) holder[name] = BigInt(digits);
  }
  return value;
}
