import { z } from "zod";
import { indexMethods } from "../eth-rpc/methods.ts";
import { forwardedMethods } from "../eth-rpc/rpc.ts";
import { methods } from "../ots/methods.ts";
import type { Endpoint } from "../sourcify/endpoint.ts";
import { endpoints } from "../sourcify/routes.ts";
import { JSON_TYPE, type JsonSchema, json, reference, responses, rpcSuccess } from "./schemas.ts";

/** A route beside the actions, for the document. */
export interface OtherRoute {
  path: string;
  method: "get" | "post";
  operationId: string;
  tag: string;
  summary: string;
  parameters?: readonly object[];
  requestBody?: object;
  responses: object;
  /** Components of the operation, by name. */
  schemas?: Readonly<Record<string, JsonSchema>>;
}

const problems = { type: "array", items: { type: "string" } };

function health(status: string): JsonSchema {
  const properties = { status: { type: "string", const: status }, problems };
  return { type: "object", properties, required: ["status"] };
}

function rpcRequest(names: readonly string[], required: readonly string[]) {
  return {
    type: "object",
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      method: { type: "string", enum: names },
      params: { type: "array", items: {}, default: [] },
      id: { type: ["integer", "string"] },
    },
    required,
  };
}

function oneOrSeveral(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: "array", items: schema }] };
}

/** Describes a route for operators. */
function forOperators(
  path: string,
  operationId: string,
  summary: string,
  own: Parameters<typeof responses>[0],
): OtherRoute {
  const route = { path, method: "get", operationId, tag: "operations", summary } as const;
  return { ...route, responses: responses(own) };
}

const notReady = json("Not ready, and why not", health("not ready"));

/** Describes a JSON-RPC endpoint; `request` names the schema of its requests, `method` is the example's. */
function rpcRoute({
  method,
  request,
  ...route
}: Omit<OtherRoute, "method" | "requestBody" | "responses"> & {
  method: string;
  request: string;
}): OtherRoute {
  return {
    ...route,
    method: "post",
    requestBody: {
      required: true,
      content: {
        [JSON_TYPE]: {
          schema: oneOrSeveral(reference(request)),
          example: { jsonrpc: "2.0", id: 1, method, params: [] },
        },
      },
    },
    responses: responses({
      200: json(
        "Answers in the order of the requests",
        oneOrSeveral({ anyOf: [reference("RpcSuccess"), reference("RpcFailure")] }),
      ),
      400: json("The body is no JSON", {
        anyOf: [reference("RpcFailure"), reference("ExplorerFailure")],
      }),
    }),
  };
}

/** The routes beside the actions. This list only documents them; they are added elsewhere. */
export const otherRoutes: readonly OtherRoute[] = [
  rpcRoute({
    path: "/api/eth-rpc",
    operationId: "ethRpc",
    tag: "eth-rpc",
    summary: "Ethereum JSON-RPC, one request or a batch",
    method: "eth_blockNumber",
    request: "RpcRequest",
    schemas: {
      RpcRequest: rpcRequest(
        [...Object.keys(indexMethods), ...Object.keys(forwardedMethods)],
        ["jsonrpc", "method", "params", "id"],
      ),
      RpcSuccess: rpcSuccess({}),
    },
  }),
  rpcRoute({
    path: "/ots",
    operationId: "ots",
    tag: "ots",
    summary: "JSON-RPC for Otterscan, one request or a batch of up to 100",
    method: "ots_getApiLevel",
    request: "OtsRequest",
    schemas: {
      OtsRequest: rpcRequest(
        [...Object.keys(methods), "web3_clientVersion"],
        ["jsonrpc", "method"],
      ),
    },
  }),
  forOperators("/health", "health", "State of the index and of what it depends on", {
    200: json("The report", {
      type: "object",
      properties: {
        status: { type: "string", enum: ["ready", "not ready"] },
        problems,
        version: { type: "string" },
        commit: { type: ["string", "null"] },
      },
      required: ["status", "problems", "version", "commit"],
    }),
    503: notReady,
  }),
  forOperators("/health/live", "healthLive", "Whether the process answers", {
    200: json("It does", health("live")),
  }),
  forOperators("/health/ready", "healthReady", "Whether the answers are complete and current", {
    200: json("They are", health("ready")),
    503: notReady,
  }),
  forOperators("/metrics", "metrics", "Measurements in Prometheus' text form", {
    200: {
      description: "The measurements",
      content: { "text/plain": { schema: { type: "string" } } },
    },
  }),
];

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
