import type { FastifyRequest } from "fastify";
import { scanJson, type TextRange } from "../../../core/json/json-scan.ts";
import { isRecord } from "../../../core/json/record.ts";
import { SMALL_BODY } from "./body.ts";
import {
  badRequest,
  decodeField,
  decodeUtf8,
  type Field,
  foldFields,
  type Input,
  type InputValue,
  lookUp,
  MAXIMUM_FIELDS,
  type ParsedRequest,
  parseUrlEncoded,
  payloadTooLarge,
  requireBoundedText,
  splitForm,
} from "./form.ts";
import { readMultipart } from "./multipart.ts";

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
function parseText(text: string, reviver?: Reviver): unknown {
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

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;
/** Longest parameter name. */
const LONGEST_NAME = 100;

/** Merges query and body into one flat set; the body wins. Throws `RequestError`. Source: docs/wire.md, "Parameters". */
export async function parseRequest(request: FastifyRequest): Promise<ParsedRequest> {
  const query = queryInput(request);
  const body = await parseBody(request, query);
  const input = new Map([...[...query].filter(([name]) => !body.input.has(name)), ...body.input]);
  const sentId = body.id ?? lookUp(input, "id");
  const id = typeof sentId === "bigint" ? Number(sentId) : sentId;
  return {
    input,
    query,
    body: body.input,
    id: typeof id === "string" || typeof id === "number" ? id : undefined,
  };
}

/** Returns parameters of the query alone. Throws `RequestError` when it is unreadable. */
export function queryInput(request: FastifyRequest): Map<string, InputValue> {
  const { url = "" } = request.raw;
  const start = url.indexOf("?");
  return foldFields(start < 0 ? [] : parseUrlEncoded(Buffer.from(url.slice(start + 1))));
}

/** Returns `application/json` of a request's content type, lower case; empty without one. */
export function mediaTypeOf(request: FastifyRequest): string {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase();
}

type ParsedBody = { input: ReadonlyMap<string, InputValue>; id?: unknown };

async function parseBody(request: FastifyRequest, query: Input): Promise<ParsedBody> {
  const { body } = request;
  if (!Buffer.isBuffer(body)) return { input: new Map() };
  const { takesSources } = request.routeOptions.config;
  // The body is searched only when the route does not decide.
  const isOpen = body.length > SMALL_BODY && takesSources?.(request) === undefined;
  const requireSubmission = (names: Input) => {
    if (isOpen && !takesSources?.(request, new Map([...query, ...names]))) throw payloadTooLarge();
  };
  const type = mediaTypeOf(request);
  if (type === "multipart/form-data") {
    return toInput(await readMultipart(request, body), requireSubmission);
  }
  if (type === "application/x-www-form-urlencoded") {
    const encoded = splitForm(body);
    const short = encoded.filter((field) => field.every((part) => part.length <= LONGEST_NAME));
    requireSubmission(foldFields(short.map(decodeField)));
    return toInput(encoded.map(decodeField), requireSubmission);
  }
  if (JSON_TYPE.test(type)) {
    const strings = boundJson(body);
    requireSubmission(shortMembers(body, strings));
    const object = body.length === 0 ? {} : parseMembers(decodeUtf8(body));
    if (typeof object !== "object" || object === null || Array.isArray(object)) throw badRequest();
    const fields = Object.entries(object);
    if (fields.length > MAXIMUM_FIELDS) throw payloadTooLarge();
    const input = new Map<string, InputValue>();
    for (const [name, value] of fields) {
      const flat = flatten(value);
      if (flat !== undefined) input.set(name, flat);
    }
    requireSubmission(input);
    return { input, id: "id" in object ? object.id : undefined };
  }
  if (isOpen) throw payloadTooLarge();
  return { input: new Map() };
}

function toInput(fields: readonly Field[], requireSubmission: (input: Input) => void): ParsedBody {
  requireBoundedText(fields);
  const input = foldFields(fields);
  requireSubmission(input);
  return { input };
}

/** Returns the members of an object with short texts, found without parsing it. */
function shortMembers(body: Buffer, strings: readonly TextRange[]): Map<string, InputValue> {
  const members = new Map<string, InputValue>();
  for (const [index, [start, end]] of strings.entries()) {
    const [valueStart, valueEnd] = strings[index + 1] ?? [];
    if (valueStart === undefined || valueEnd === undefined) break;
    if (Math.max(end - start, valueStart - end, valueEnd - valueStart) > LONGEST_NAME) continue;
    if (body.toString("latin1", end, valueStart).trim() !== ":") continue;
    const [name, value] = [body.subarray(start, end), body.subarray(valueStart, valueEnd)];
    members.set(String(parseText(decodeUtf8(name))), String(parseText(decodeUtf8(value))));
  }
  return members;
}

function flatten(value: unknown): InputValue | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      // Never in exponent notation.
      return Number.isInteger(value) ? BigInt(value).toString() : String(value);
    case "boolean":
    case "bigint":
      return String(value);
    default:
      return value === null ? undefined : (value as InputValue);
  }
}
