import { z } from "zod";
import type { Endpoint } from "../sourcify/endpoint.ts";
import { endpoints } from "../sourcify/routes.ts";
import type { OtherRoute } from "./other-routes.ts";
import { JSON_TYPE, type JsonSchema, json, reference, responses } from "./schemas.ts";

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
export const sourcifyRoutes: readonly OtherRoute[] = Object.entries(endpoints).map(
  ([name, endpoint]) => ({
    path: BASE + endpoint.path,
    method: endpoint.body ? "post" : "get",
    operationId: `sourcify${name.replaceAll(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
    tag: "sourcify",
    summary: endpoint.summary,
    parameters: describeParameters(endpoint),
    ...(endpoint.body && {
      requestBody: {
        required: true,
        content: { [JSON_TYPE]: { schema: schemaOf(endpoint.body, "input") } },
      },
    }),
    responses: describeResponses(endpoint),
    schemas: { [FAILURE]: failure },
  }),
);

/** Describes the parts of a path, and the fields of its query. */
function describeParameters({ path, query = {} }: Pick<Endpoint, "path" | "query">) {
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

function describeResponses({ answers }: Endpoint) {
  const own = Object.entries(answers).map(([status, { description, schema }]) => [
    status,
    schema ? json(description, schemaOf(schema, "output")) : { description },
  ]);
  const cause = "The request cannot be answered; `customCode` is the cause";
  const refused = json(cause, reference(FAILURE));
  return { ...Object.fromEntries(own), "4XX": refused, "5XX": refused };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io });
  return json;
}

const CONTRACT = "/api/v2/smart-contracts/{address}";
const VERIFY = `${CONTRACT}/verification/via/{way}`;

/** Fields of the body; those of files are of multipart forms. */
const FIELDS: Readonly<Record<string, string>> = {
  compiler_version: "Version of the compiler, except with `sourcify`",
  contract_name: "`path:Name`, or the name alone",
  source_code: "Source, with `flattened-code` and `vyper-code`",
  is_optimization_enabled: "`true` or `false`, with `flattened-code`",
  optimization_runs: "Runs of the optimizer, with `flattened-code`",
  evm_version: "EVM version, with `flattened-code` and `vyper-code`",
  constructor_args: "Hex of the constructor's arguments; without it they are read from the chain",
  autodetect_constructor_args: "Ignored: arguments that are not sent are read from the chain",
  license_type: "Name or number of the licence",
  "files[0]":
    "File, with `standard-input` and `vyper-standard-input`: the compiler's input; with `sourcify` the metadata, and the sources in `files[1]` and so on",
};

const text = (description: string) => ({ type: "string", description });
const fields = Object.entries(FIELDS).map(([name, description]) => [name, text(description)]);
const body = { schema: { type: "object", properties: Object.fromEntries(fields) } };

function answer(description: string, names: readonly string[], type: string) {
  const properties: JsonSchema = Object.fromEntries(names.map((name) => [name, { type }]));
  return json(description, { type: "object", properties, required: names });
}

const LEVELS = ["is_verified", "is_fully_verified", "is_partially_verified"];
const message = (description: string) => answer(description, ["message"], "string");

/** The verification paths of Blockscout's REST API. */
export const restRoutes: readonly OtherRoute[] = [
  {
    path: CONTRACT,
    method: "get",
    operationId: "restSmartContract",
    tag: "contract",
    summary: "Whether a contract is verified, by Blockscout's REST path",
    parameters: describeParameters({ path: CONTRACT }),
    responses: responses({
      200: answer("The levels of its verification", LEVELS, "boolean"),
      422: message("The address is malformed"),
    }),
  },
  {
    path: VERIFY,
    method: "post",
    operationId: "restVerify",
    tag: "contract",
    summary: "Submits a verification by Blockscout's REST path",
    parameters: describeParameters({ path: VERIFY }),
    requestBody: { required: true, content: { "multipart/form-data": body, [JSON_TYPE]: body } },
    responses: responses({
      200: message("The verification waits; the GET of the contract shows its outcome"),
      404: message("No contract at the address, or an unknown way"),
      422: message("The address is malformed, or the contract is verified already"),
    }),
  },
];
