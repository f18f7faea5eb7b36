import { indexMethods } from "../eth-rpc/methods.ts";
import { forwardedMethods } from "../eth-rpc/rpc.ts";
import { methods } from "../ots/methods.ts";
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
