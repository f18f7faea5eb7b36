import { Readable } from "node:stream";
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { requestErrorOf } from "../failures.ts";
import {
  badRequest,
  decodeText,
  type Field,
  MAXIMUM_FIELDS,
  MAXIMUM_TEXT_BYTES,
  payloadTooLarge,
} from "./form.ts";

/** Most bytes of the headers of all parts: their parameters are parsed character by character. */
const MAXIMUM_HEADER_BYTES = 400_000;
const HEADERS_END = "\r\n\r\n";
/** RFC 2046, section 5.1.1. */
const BOUNDARY = /;\s*boundary=("?)([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])\1\s*(?:;|$)/i;

/** Adds multipart bodies to the routes of a scope, where every request then costs a little more. */
export function addMultipart(scope: FastifyInstance): void {
  const limits = {
    parts: MAXIMUM_FIELDS,
    fileSize: MAXIMUM_TEXT_BYTES,
    headerSize: MAXIMUM_HEADER_BYTES,
  };
  // Parts read as files come as bytes, so that the library parses no JSON.
  scope.register(multipart, { limits, isPartAFile: () => true }).after(() => {
    // The body is received whole and bounded, like any other.
    scope.removeContentTypeParser("multipart/form-data");
  });
}

/** Reads a multipart body (RFC 7578) as UTF-8, without parts that have no name. Throws `RequestError` for a broken or large one. */
export async function readMultipart(request: FastifyRequest, body: Buffer): Promise<Field[]> {
  const boundary = BOUNDARY.exec(request.headers["content-type"] ?? "")?.[2];
  if (boundary === undefined) throw badRequest();
  requireBoundedParts(body, boundary);
  const fields: Field[] = [];
  let bytes = 0;
  try {
    for await (const part of received(request, body, boundary).parts()) {
      if (part.type !== "file") throw badRequest();
      const content = await part.toBuffer();
      bytes += content.length;
      if (bytes > MAXIMUM_TEXT_BYTES) throw payloadTooLarge();
      const { fieldname, filename }: { fieldname?: string; filename?: string } = part;
      if (fieldname === undefined) continue;
      // Binary files are allowed, but not read.
      const value =
        filename === undefined
          ? decodeText(content)
          : { fileName: filename, content: content.toString("utf8") };
      fields.push([fieldname, value]);
    }
  } catch (error) {
    throw requestErrorOf(error) ?? badRequest(error);
  }
  return fields;
}

/** Counts the parts and header bytes in one pass before the library, which is slow at them. */
function requireBoundedParts(body: Buffer, boundary: string): void {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const isAtOnce = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  let delimiters = 0;
  let headerBytes = 0;
  let position = isAtOnce ? -2 : body.indexOf(delimiter);
  while (position !== -1) {
    position += delimiter.length;
    // There is one more delimiter than parts: the last one ends them.
    if (++delimiters > MAXIMUM_FIELDS + 1) throw payloadTooLarge();
    const next = body.toString("latin1", position, position + 2);
    if (next !== "--") {
      // The library would drop anything else here, together with the part.
      if (next !== "\r\n") throw badRequest();
      const left = body.subarray(position, position + MAXIMUM_HEADER_BYTES - headerBytes);
      const length = left.indexOf(HEADERS_END);
      if (length < 0) throw badRequest();
      headerBytes += length;
    }
    position = body.indexOf(delimiter, position);
  }
}

/** Returns the request in the library's form, with the body still to arrive and a safe boundary. */
function received(request: FastifyRequest, body: Buffer, boundary: string): FastifyRequest {
  const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
  const raw = Object.assign(Readable.from([body]), { headers });
  return Object.create(request, { raw: { value: raw }, isMultipart: { value: () => true } });
}
