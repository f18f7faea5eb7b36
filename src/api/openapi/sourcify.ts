import { z } from "zod";
import type { Endpoint } from "../sourcify/endpoint.ts";
import { endpoints } from "../sourcify/registry.ts";
import type { OtherRoute } from "./other-routes.ts";
import { JSON_TYPE } from "./responses.ts";
import { type JsonSchema, reference } from "./schemas.ts";

const BASE = "/sourcify";
const FAILURE = "SourcifyFailure";

const failure: JsonSchema = {
  type: "object",
  properties: {
    customCode: { type: "string" },
    message: { type: "string" },
    errorId: { type: "string", format: "uuid" },
  },
  required: ["customCode", "message", "errorId"],
  additionalProperties: false,
};

/** Parts of paths: their descriptions, and examples from the sample chain. */
const PARTS: Readonly<Record<string, { description: string; example: string }>> = {
  chainId: { description: "Id of the chain in decimal digits", example: "31337" },
  address: {
    description: "Address: 0x and 40 hex digits in any letter case",
    example: "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35",
  },
  way: {
    description:
      "`flattened-code`, `standard-input`, `sourcify`, `vyper-code` or `vyper-standard-input`",
    example: "standard-input",
  },
  verificationId: {
    description: "Identifier that the submission returned",
    example: "700b6a60ce7eaaea56f065753d8dcb9653dbad3500000192f3a4b5c6",
  },
};

/** The endpoints of Sourcify's dialect, for the document. */
export const sourcifyRoutes: readonly OtherRoute[] = endpoints.map((endpoint) => ({
  path: BASE + endpoint.path,
  method: endpoint.body ? "post" : "get",
  operationId: `sourcify${endpoint.name.replaceAll(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
  tag: "sourcify",
  summary: endpoint.summary,
  parameters: parametersOf(endpoint),
  ...(endpoint.body && {
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: schemaOf(endpoint.body, "input") } },
    },
  }),
  responses: responsesOf(endpoint),
  schemas: { [FAILURE]: failure },
}));

/** Describes the parts of a path, and the fields of its query. */
export function parametersOf({ path, query = {} }: Pick<Endpoint, "path" | "query">) {
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...PARTS[name],
  }));
  const fields = Object.entries(query).map(([name, description]) => ({
    name,
    in: "query",
    required: false,
    description,
    schema: { type: "string" },
  }));
  return [...parts, ...fields];
}

function responsesOf({ answers }: Endpoint) {
  const own = Object.entries(answers).map(([status, { description, schema }]) => [
    status,
    {
      description,
      ...(schema && { content: { [JSON_TYPE]: { schema: schemaOf(schema, "output") } } }),
    },
  ]);
  const refused = {
    description: "The request cannot be answered; `customCode` is the cause",
    content: { [JSON_TYPE]: { schema: reference(FAILURE) } },
  };
  return { ...Object.fromEntries(own), "4XX": refused, "5XX": refused };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io });
  return json;
}
