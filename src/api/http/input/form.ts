import { RequestError } from "../../../core/errors.ts";

/** A file part of a multipart body, decoded as UTF-8. */
export interface UploadedFile {
  fileName: string;
  content: string;
}

/** Value of a parameter. JSON numbers and booleans become text; lists and objects come from JSON, `files[]` and `files[0]`. */
export type InputValue =
  | string
  | UploadedFile
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** Parameters by the name they were sent under, query and body merged. */
export type Input = ReadonlyMap<string, InputValue>;

/** The parsed parameters of a request. */
export interface ParsedRequest {
  input: Input;
  query: Input;
  body: Input;
  /** `id` of a JSON body, where a number stays a number. */
  id: string | number | undefined;
}

/** A name and its value in a query or a form. */
export type Field = [name: string, value: string | UploadedFile];

/** Most fields of one query, form or JSON object. */
export const MAXIMUM_FIELDS = 1000;
/** Most bytes of the decoded names and values of one form. */
export const MAXIMUM_TEXT_BYTES = 10_000_000;

/** Etherscan's name of the chain, and the one in Blockscout's documentation of the same path. */
export const CHAIN_NAME = /^chain_?id$/i;
const FILES = /^files\[(\d{0,9})\]$/;
const EQUALS = 0x3d;
const PLUS = 0x2b;
const PERCENT = 0x25;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });
const strictUtf8WithMark = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the error for an unreadable query or body. */
export function badRequest(cause?: unknown): RequestError {
  return new RequestError(400, "bad-request", "Bad request", { cause });
}

/** Returns the error for a request that is too large. */
export function payloadTooLarge(): RequestError {
  return new RequestError(413, "too-long", "Payload Too Large");
}

/** Decodes UTF-8; throws `RequestError` for invalid bytes. */
export function decodeUtf8(bytes: Uint8Array, decoder = strictUtf8): string {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw badRequest(error);
  }
}

/** Decodes the text of a field as `decodeUtf8`, but keeps a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  return decodeUtf8(bytes, strictUtf8WithMark);
}

/** Name and value of a field as they were sent, in their encoding. */
export type EncodedField = readonly [name: Buffer, value: Buffer];

/** Parses a query or urlencoded body. Throws `RequestError` for broken encoding, too many fields or too much text. */
export function parseUrlEncoded(form: Buffer): Field[] {
  const encoded = splitForm(form);
  return encoded.map(decodeField);
}

/** Splits a form into fields, not yet decoded. Throws `RequestError` for too many fields or too much text. */
export function splitForm(form: Buffer): EncodedField[] {
  const fields: EncodedField[] = [];
  let parts = 0;
  for (let start = 0; start < form.length; ) {
    if (++parts > MAXIMUM_FIELDS) throw payloadTooLarge();
    const separator = form.indexOf("&", start);
    const end = separator < 0 ? form.length : separator;
    const part = form.subarray(start, end);
    start = end + 1;
    if (part.length === 0) continue;
    const equals = part.indexOf(EQUALS);
    fields.push(
      equals < 0
        ? [part, part.subarray(part.length)]
        : [part.subarray(0, equals), part.subarray(equals + 1)],
    );
  }
  return fields;
}

/** Decodes a field; `+` is a blank. Throws `RequestError` for broken percent encoding. */
export function decodeField([name, value]: EncodedField): Field {
  return [decodeComponent(name), decodeComponent(value)];
}

/** Throws `RequestError` when the fields hold more text than any request needs. */
export function requireBoundedText(fields: readonly Field[]): void {
  let bytes = 0;
  for (const [name, value] of fields) {
    bytes += name.length + (typeof value === "string" ? value.length : value.content.length);
  }
  if (bytes > MAXIMUM_TEXT_BYTES) throw payloadTooLarge();
}

/** Folds fields into parameters: the last value of a name counts, different chains and files of one name and `files[]` are lists, `files[0]` a map. */
export function foldFields(fields: readonly Field[]): Map<string, InputValue> {
  const folded = new Map<string, InputValue>();
  const list: Field[1][] = [];
  const map: Record<string, Field[1]> = {};
  for (const [name, value] of fields) {
    const index = FILES.exec(name)?.[1];
    if (index === "") list.push(value);
    else if (index !== undefined) map[index] = value;
    else if (!name.includes("[")) {
      const joined = joinValues(name, folded.get(name), value);
      // The position shows which of several spellings came last.
      folded.delete(name);
      folded.set(name, joined);
    }
  }
  if (list.length > 0) folded.set("files", list);
  else if (Object.keys(map).length > 0) folded.set("files", map);
  return folded;
}

function joinValues(name: string, earlier: InputValue | undefined, value: Field[1]): InputValue {
  if (CHAIN_NAME.test(name)) {
    if (!earlier || earlier === value) return value;
    return value === "" ? earlier : [earlier, value];
  }
  if (typeof value === "string" || earlier === undefined || typeof earlier === "string") {
    return value;
  }
  return Array.isArray(earlier) ? [...earlier, value] : [earlier, value];
}

function decodeComponent(encoded: Buffer): string {
  const text = decodeText(encoded);
  if (!encoded.includes(PERCENT) && !encoded.includes(PLUS)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    throw badRequest(error);
  }
}

/** Returns a parameter by its exact name, else by the last one in another letter case. Source: docs/wire.md, "Parameters". */
export function lookUp(input: Input, name: string): InputValue | undefined {
  const exact = input.get(name);
  if (exact !== undefined) return exact;
  const wanted = name.toLowerCase();
  let last: InputValue | undefined;
  for (const [key, value] of input) {
    if (key.length === wanted.length && key.toLowerCase() === wanted) last = value;
  }
  return last;
}
