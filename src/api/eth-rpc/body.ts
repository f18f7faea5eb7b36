import type { FastifyRequest } from "fastify";
import { RequestError } from "../../core/errors.ts";
import { decodeUtf8, parseUrlEncoded } from "../http/input/form.ts";
import { boundJson, parseMembers } from "../http/input/json.ts";

/** Parses a body as JSON, also where `curl -d` sent it as a form's name; undefined when it is not JSON. Throws `RequestError`. */
export function parseRpcBody({ body }: FastifyRequest): { json: unknown } | undefined {
  try {
    const text = Buffer.isBuffer(body) ? decodeUtf8(body).trim() : "";
    if (text === "") return { json: {} };
    const json = text.startsWith("%") ? nameIn(text) : text;
    boundJson(Buffer.from(json));
    return { json: parseMembers(json) };
  } catch (error) {
    if (error instanceof RequestError && error.httpStatus === 400) return undefined;
    throw error;
  }
}

/** Returns the first name of a urlencoded form. */
function nameIn(text: string): string {
  const [first] = parseUrlEncoded(Buffer.from(text));
  return first?.[0] ?? "";
}
