import { ERROR_CODES } from "../../core/errors.ts";
import { type JsonSchema, reference } from "./schemas.ts";

/** A response of an operation. */
export interface Response {
  description: string;
  content: Readonly<Record<string, MediaType>>;
  headers?: object;
}

/** Description of a response in one content type. */
interface MediaType {
  schema: JsonSchema;
  example?: unknown;
}

export const JSON_TYPE = "application/json";

/** Descriptions of the errors of every operation, by HTTP status. */
const ERRORS: Readonly<Record<number, string>> = {
  400: "The request cannot be read, or lacks something required",
  405: "The path does not take this method; `allow` names those that it takes",
  413: "The body is too large",
  414: "The URL is too long",
  415: "The body is compressed",
  429: "Too many requests; `retry-after` has the seconds to wait",
  500: "A fault of this server",
  503: "The database or the node does not answer, or the answer took too long",
};

/** The header of an answer that is no success. */
const ERROR_HEADER = {
  "x-periscope-error": {
    description: `Why it is no success: \`<code>\`, or \`<code>;name=<parameter>\`. Codes: ${ERROR_CODES.join(", ")}`,
    schema: { type: "string" },
  },
};

/** `components.responses` of the document. */
export const errorResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  Object.entries(ERRORS).map(([status, description]) => [
    nameOf(status),
    {
      description,
      headers: ERROR_HEADER,
      content: { [JSON_TYPE]: { schema: reference("ExplorerFailure") } },
    },
  ]),
);

/** Returns references to those responses, by status; `own` ones replace them. */
export function responses(own: Readonly<Record<number, Response>>) {
  const shared = Object.keys(ERRORS).map((status) => [
    status,
    { $ref: `#/components/responses/${nameOf(status)}` },
  ]);
  return { ...Object.fromEntries(shared), ...own };
}

function nameOf(status: string): string {
  return `Refused${status}`;
}
