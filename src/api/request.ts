import type { FastifyRequest } from "fastify";
import { RequestError } from "../core/errors.ts";
import {
  badRequest,
  decodeUtf8,
  type Field,
  foldFields,
  MAXIMUM_FIELDS,
  parseUrlEncoded,
  payloadTooLarge,
} from "./form.ts";
import { type InputValue, lookUp, type ParsedRequest } from "./input.ts";

/** Largest body in bytes, the reference's limit. */
export const BODY_LIMIT = 20_000_000;
/** Fields and files of one multipart body. */
export const MULTIPART_PARTS = 1000;

const MAXIMUM_DEPTH = 100;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;

/**
 * One flat set of parameters of a request, wherever they stood: query, JSON, form or multipart body; the body wins.
 * Throws `RequestError` for a query or body that cannot be read. Source: the wire contract, common rules, section 2.
 */
export async function parseRequest(request: FastifyRequest): Promise<ParsedRequest> {
  const input = foldFields(parseUrlEncoded(queryOf(request)));
  const body = await parseBody(request);
  for (const [name, value] of body.input) input.set(name, value);
  const id = body.id ?? lookUp(input, "id");
  return { input, id: typeof id === "string" || typeof id === "number" ? id : undefined };
}

/** The query as it stands in the URL, without the question mark. */
export function queryOf(request: FastifyRequest): string {
  const { url = "" } = request.raw;
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** `application/json` of a request's content type, lower case; empty without one. */
export function mediaTypeOf(request: FastifyRequest): string {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase();
}

type ParsedBody = { input: Map<string, InputValue>; id?: unknown };

async function parseBody(request: FastifyRequest): Promise<ParsedBody> {
  const { body } = request;
  const type = mediaTypeOf(request);
  if (type === "multipart/form-data" && request.isMultipart?.()) {
    return { input: foldFields(await readParts(request)) };
  }
  if (!Buffer.isBuffer(body)) return { input: new Map() };
  if (type === "application/x-www-form-urlencoded") {
    return { input: foldFields(parseUrlEncoded(decodeUtf8(body))) };
  }
  if (JSON_TYPE.test(type)) return parseJsonBody(decodeUtf8(body));
  return { input: new Map() };
}

function parseJsonBody(text: string): ParsedBody {
  const object = text === "" ? {} : parseJson(text);
  if (typeof object !== "object" || object === null || Array.isArray(object)) throw badRequest();
  const fields = Object.entries(object);
  if (fields.length > MAXIMUM_FIELDS) throw payloadTooLarge();
  const input = new Map<string, InputValue>();
  for (const [name, value] of fields) {
    const flat = flatten(value);
    if (flat !== undefined) input.set(name, flat);
  }
  return { input, id: "id" in object ? object.id : undefined };
}

/** The value of JSON text. Throws `RequestError` when it is none, or nested deeper than anything that is meant. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badRequest(error);
  }
  // What goes through it by recursion, JSON.stringify above all, must not run out of stack.
  if (isDeeperThan(value, MAXIMUM_DEPTH)) throw badRequest();
  return value;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

function flatten(value: unknown): InputValue | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      // Never in exponent notation.
      return Number.isInteger(value) ? BigInt(value).toString() : String(value);
    case "boolean":
      return String(value);
    default:
      return value === null ? undefined : (value as InputValue);
  }
}

/** Fields and files of a multipart body, at most `BODY_LIMIT` bytes in all. */
async function readParts(request: FastifyRequest): Promise<Field[]> {
  const fields: Field[] = [];
  let bytes = 0;
  try {
    for await (const part of request.parts()) {
      const value =
        part.type === "file"
          ? { fileName: part.filename, content: (await part.toBuffer()).toString("utf8") }
          : String(part.value);
      bytes += Buffer.byteLength(typeof value === "string" ? value : value.content);
      const isCut = part.type === "field" && part.valueTruncated;
      if (isCut || bytes > BODY_LIMIT) throw payloadTooLarge();
      fields.push([part.fieldname, value]);
    }
  } catch (error) {
    const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
    if (error instanceof RequestError || status === 413) throw error;
    throw badRequest(error);
  }
  return fields;
}
