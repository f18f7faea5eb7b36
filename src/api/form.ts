import { RequestError } from "../core/errors.ts";
import type { InputValue, UploadedFile } from "./input.ts";

/** A name and its value as they stand in a query or a form. */
export type Field = [name: string, value: string | UploadedFile];

/** Fields of one form or JSON object at most. A query, which Node bounds to 16 KB, cannot have as many. */
export const MAXIMUM_FIELDS = 20_000;

const FILES = /^files\[(\d*)\]$/;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

/** What could not be read as a query or a body. */
export function badRequest(cause?: unknown): RequestError {
  return new RequestError(400, "Bad request", { cause });
}

/** What is too large to be read. */
export function payloadTooLarge(): RequestError {
  return new RequestError(413, "Payload Too Large");
}

/** Text of UTF-8 bytes; throws `RequestError` when they are none. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (error) {
    throw badRequest(error);
  }
}

/**
 * Fields of a query or a urlencoded body; `+` is a blank. Throws `RequestError` on broken percent encoding, and for too
 * many of them.
 */
export function parseUrlEncoded(text: string): Field[] {
  const fields: Field[] = [];
  const parts = text.split("&", MAXIMUM_FIELDS + 1);
  if (parts.length > MAXIMUM_FIELDS) throw payloadTooLarge();
  for (const part of parts) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? "" : part.slice(equals + 1);
    fields.push([decodeComponent(name), decodeComponent(value)]);
  }
  return fields;
}

/**
 * Parameters of the fields: of a name given twice the last value counts, several files of one name are a list,
 * `files[]` is a list and `files[0]` a map; any other bracketed name is ignored.
 */
export function foldFields(fields: readonly Field[]): Map<string, InputValue> {
  const folded = new Map<string, InputValue>();
  const list: Field[1][] = [];
  const map: Record<string, Field[1]> = {};
  for (const [name, value] of fields) {
    const index = FILES.exec(name)?.[1];
    if (index === "") list.push(value);
    else if (index !== undefined) map[index] = value;
    else if (!name.includes("[")) folded.set(name, joinFiles(folded.get(name), value));
  }
  if (list.length > 0) folded.set("files", list);
  else if (Object.keys(map).length > 0) folded.set("files", map);
  return folded;
}

function joinFiles(earlier: InputValue | undefined, value: Field[1]): InputValue {
  if (typeof value === "string" || earlier === undefined || typeof earlier === "string") {
    return value;
  }
  return Array.isArray(earlier) ? [...earlier, value] : [earlier, value];
}

function decodeComponent(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw badRequest(error);
  }
}
