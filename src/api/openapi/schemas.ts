import { z } from "zod";
import { ERROR_CODES } from "../../core/errors.ts";
import { type Action, paramsIn } from "../explorer/action.ts";
import type { Dialect } from "../explorer/envelope.ts";

/** JSON Schema 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const DEFINITION = /^#\/\$defs\//;

/** The schemas shared by all operations of a document. */
export type Components = ReturnType<typeof createComponents>;

/** Creates the `components.schemas` of a document, empty at first. */
export function createComponents() {
  const schemas: Record<string, JsonSchema> = {};

  /** Stores a schema under a name and returns the reference to it. Throws when another one has the name. */
  function add(name: string, schema: JsonSchema): JsonSchema {
    const known = schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new TypeError(`the API's document has two schemas of the name ${name}`);
    }
    schemas[name] = schema;
    return reference(name);
  }

  /** Returns the JSON Schema of a result. A schema with an id in its metadata becomes a component of that name. */
  function describe(schema: z.ZodType): JsonSchema {
    const json = z.toJSONSchema(schema, { io: "output" });
    const { $schema: _dialect, $defs: definitions = {}, ...rest } = json;
    for (const [name, definition] of Object.entries(definitions)) {
      const { id: _id, ...described } = definition;
      add(name, pointToComponents(described));
    }
    return pointToComponents(rest);
  }

  return { schemas, add, describe };
}

/** Returns a reference to a schema of the document. */
export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Converts zod's references, which point to definitions beside the schema. */
function pointToComponents(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === "$ref" ? String(value).replace(DEFINITION, "#/components/schemas/") : value,
    ),
  ) as JsonSchema;
}

/** Returns the explorer envelope of an answer with a result. */
export function explorerSuccess(result: JsonSchema): JsonSchema {
  return closed({ status: { type: "string", const: "1" }, message: { type: "string" }, result });
}

/** Explorer envelope of an answer without one: a failure, or a list without entries. */
export const explorerFailure = closed({
  status: { type: "string", const: "0" },
  message: { type: "string" },
  result: {
    description: "The text again, null, or an empty list",
    anyOf: [{ type: "string" }, { type: "null" }, { type: "array", items: {}, maxItems: 0 }],
  },
});

const rpcId = { type: ["integer", "number", "string", "null"] };
const rpcVersion = { type: "string", const: "2.0" };

/** Returns the JSON-RPC envelope of an answer with a result. */
export function rpcSuccess(result: JsonSchema): JsonSchema {
  return closed({ jsonrpc: rpcVersion, result, id: rpcId });
}

/** JSON-RPC envelope of a failure; most errors are a text, those of a node and of the protocol an object. */
export const rpcFailure = closed({
  jsonrpc: rpcVersion,
  error: {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        properties: { code: { type: "integer" }, message: { type: "string" }, data: {} },
        required: ["code", "message"],
      },
    ],
  },
  id: rpcId,
});

function closed(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** A response of an operation. */
export interface Response {
  description: string;
  /** By content type. */
  content: Readonly<Record<string, { schema: JsonSchema; example?: unknown }>>;
  headers?: object;
}

/** Describes an answer in JSON. */
export function json(description: string, schema: JsonSchema): Response {
  return { description, content: { [JSON_TYPE]: { schema } } };
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

/** The header of a failed answer. */
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
    { ...json(description, reference("ExplorerFailure")), headers: ERROR_HEADER },
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

/** Describes an action's parameters, in the order in which they are checked. */
export function describeParameters(action: Action, dialect: Dialect) {
  const params = paramsIn(action, dialect);
  const { properties = {}, required = [] } = z.toJSONSchema(params, { io: "input" });
  const defaults = dialect === "etherscan" ? action.etherscanDefaults : undefined;
  const needed = new Set([...required, ...(action.required ?? [])]);
  return Object.entries(properties).map(([name, property]) => {
    const { description = "", ...schema } = property as { description?: string };
    // zod lacks the default of a schema that transforms.
    const { data } = params.shape[name]?.safeParse(undefined) ?? {};
    const example = action.example[name];
    // Examples are sent as text.
    const isNumber = example !== undefined && /^\d+$/.test(example) && takesInteger(schema);
    const standard = defaults?.[name] ?? (typeof data === "object" ? undefined : data);
    return {
      name,
      description,
      required: needed.has(name) && defaults?.[name] === undefined,
      /** JSON Schema of the sent value, with its default. */
      schema: { ...schema, ...(standard !== undefined && { default: standard }) } as JsonSchema,
      /** A value of the sample chain, if the example has one. */
      example: isNumber ? Number(example) : example,
    };
  });
}

function takesInteger({ type, anyOf }: JsonSchema): boolean {
  return type === "integer" || (Array.isArray(anyOf) && anyOf.some(takesInteger));
}
