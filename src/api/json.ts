import { scanJson, type TextRange } from "../core/json-scan.ts";
import { badRequest, decodeUtf8, payloadTooLarge } from "./form.ts";

/**
 * Bounds of any JSON body. A submission with sources as an object has some 5,000 files at most; the rest is settings.
 */
const JSON_BOUNDS = { depth: 64, tokens: 50_000 };

/** Parses JSON text. Throws `RequestError` when it is invalid or exceeds `JSON_BOUNDS`, or the given number of tokens. */
export function parseJson(text: Buffer, tokens?: number): unknown {
  boundJson(text, tokens);
  return parseText(decodeUtf8(text));
}

/**
 * Checks JSON text against `JSON_BOUNDS` and gives its outermost strings. Throws `RequestError` when it exceeds them.
 */
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
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(error);
  }
}
