import { Busboy } from "@fastify/busboy";
import type { FastifyRequest } from "fastify";
import {
  badRequest,
  decodeText,
  type Field,
  MAXIMUM_FIELDS,
  MAXIMUM_TEXT_BYTES,
  payloadTooLarge,
} from "./form.ts";

/** Most bytes of the headers of all parts: their parameters are read character by character. */
const MAXIMUM_HEADER_BYTES = 400_000;
const HEADERS_END = "\r\n\r\n";
/** RFC 2046, section 5.1.1. */
const BOUNDARY = /;\s*boundary=("?)([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])\1\s*(?:;|$)/i;

/** A part of a form. Without a file name it is a field. */
interface Part {
  name: string | undefined;
  fileName: string | undefined;
  content: Buffer;
}

/**
 * Fields and files of a multipart/form-data body (RFC 7578), texts as UTF-8. Parts without a name are left out. Throws
 * `RequestError` for a body that breaks off, too many parts or too much text.
 */
export async function readMultipart(request: FastifyRequest, body: Buffer): Promise<Field[]> {
  if (body.length === 0) return [];
  const boundary = boundaryOf(request);
  requireBoundedParts(body, boundary);
  const parts = await parseParts(body, boundary).catch((error: unknown) => {
    throw badRequest(error);
  });
  const bytes = parts.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > MAXIMUM_TEXT_BYTES) throw payloadTooLarge();
  return parts.flatMap(({ name, fileName, content }): Field[] => {
    if (name === undefined) return [];
    // Among files there may be others than texts, which nobody reads.
    return fileName === undefined
      ? [[name, decodeText(content)]]
      : [[name, { fileName, content: content.toString("utf8") }]];
  });
}

function parseParts(body: Buffer, boundary: string): Promise<Part[]> {
  return new Promise((resolve, reject) => {
    const parts: Part[] = [];
    const parser = new Busboy({
      headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
      limits: { headerSize: MAXIMUM_HEADER_BYTES },
      // Files come as bytes, fields as texts in a coding that the part names.
      isPartAFile: () => true,
    });
    parser.on("file", (name: string | undefined, stream, fileName: string | undefined) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("end", () => parts.push({ name, fileName, content: Buffer.concat(chunks) }));
      stream.on("error", reject);
    });
    parser.on("error", reject).once("finish", () => resolve(parts));
    parser.end(body);
  });
}

function boundaryOf({ headers }: FastifyRequest): string {
  const boundary = BOUNDARY.exec(headers["content-type"] ?? "")?.[2];
  if (boundary === undefined) throw badRequest();
  return boundary;
}

/** Counts the parts and header bytes, which the library is slow at, in one pass before it begins. */
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
