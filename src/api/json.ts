import { scanJson, type TextRange } from "../core/json-scan.ts";
import { badRequest, decodeUtf8, payloadTooLarge } from "./form.ts";

/** Of any JSON body: of what takes sources as an object, some 5,000 are files, the rest settings. */
const JSON_BOUNDS = { depth: 64, tokens: 50_000 };

/** The value of JSON text. Throws `RequestError` when it is none, and for more than `JSON_BOUNDS`. */
export function parseJson(text: Buffer): unknown {
  boundJson(text);
  return parseText(decodeUtf8(text));
}

/** The outermost strings of JSON text that may be parsed. Throws `RequestError` when it may not. */
export function boundJson(text: Buffer): readonly TextRange[] {
  const scan = scanJson(text, JSON_BOUNDS);
  switch (scan.kind) {
    case "fits":
      return scan.strings;
    case "too-deep":
      throw badRequest();
    case "too-many":
      throw payloadTooLarge();
  }
}

/** The same of text whose bounds are known. */
export function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(error);
  }
}
