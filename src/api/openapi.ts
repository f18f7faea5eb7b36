import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Action } from "./action.ts";
import { requiredParameters } from "./action-table.ts";
import { type Dialect, forDialect, jsonAnswer } from "./envelope.ts";
import { send } from "./http.ts";
import type { HealthOptions } from "./ops/health.ts";
import { registry } from "./registry.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

const BASES: readonly [path: string, dialect: Dialect][] = [
  ["/api", "blockscout"],
  ["/v2/api", "etherscan"],
];
const JSON_TYPE = "application/json";

/** Adds `/openapi.json`; the document is made once, when it is first asked for. */
export function addDocumentation(app: FastifyInstance, options: HealthOptions): void {
  let answer: ReturnType<typeof jsonAnswer> | undefined;
  app.get("/openapi.json", (_request, reply) => {
    answer ??= jsonAnswer(describeApi(options));
    return send(reply, answer);
  });
}

/**
 * The API as an OpenAPI 3.1 document, from the registry. An action is a path of its own, its module and name in the
 * query: OpenAPI tells operations apart by path and method only.
 */
export function describeApi({ version }: Pick<HealthOptions, "version">) {
  const paths: Record<string, object> = Object.fromEntries(
    BASES.flatMap(([base, dialect]) =>
      Object.entries(registry).flatMap(([module, actions]) =>
        actions.map((action) => [
          `${base}?module=${module}&action=${action.name}`,
          { [action.isSubmission ? "post" : "get"]: describeAction(module, action, dialect) },
        ]),
      ),
    ),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Periscope",
      version,
      summary: "Block explorer API in the dialects of Blockscout (/api) and Etherscan (/v2/api)",
    },
    tags: Object.keys(registry).map((name) => ({ name })),
    paths: { ...paths, "/api/eth-rpc": { post: describeRpc() } } as Record<string, object>,
    components: {
      schemas: {
        ExplorerFailure: explorerSchema("0", { type: ["string", "null", "array", "object"] }),
        RpcFailure: rpcSchema({ error: {} }),
      },
    },
  };
}

function describeAction(module: string, action: Action, dialect: Dialect) {
  const isRpc = action.envelope === "json-rpc";
  const result = toSchema(forDialect(action.result, dialect), "output");
  const success = isRpc ? rpcSchema({ result }) : explorerSchema("1", result);
  const failure = isRpc ? "RpcFailure" : "ExplorerFailure";
  return {
    operationId: `${dialect}_${module}_${action.name}`,
    tags: [module],
    summary: action.summary,
    ...(action.isSubmission
      ? { parameters: [], requestBody: describeForm(action) }
      : { parameters: describeParameters(action, dialect) }),
    responses: {
      200: {
        description: "The action ran; `status` tells whether it succeeded",
        content: {
          [JSON_TYPE]: { schema: { anyOf: [success, reference(failure)] } },
        },
      },
      default: {
        description: "The request cannot be answered",
        content: { [JSON_TYPE]: { schema: reference("ExplorerFailure") } },
      },
    },
  };
}

function describeParameters(action: Action, dialect: Dialect) {
  const required = requiredParameters(action);
  const defaults = dialect === "etherscan" ? (action.etherscanDefaults ?? {}) : {};
  return parametersOf(action).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.has(name) && defaults[name] === undefined,
    schema: { ...schema, ...(defaults[name] !== undefined && { default: defaults[name] }) },
    ...(action.example[name] !== undefined && { example: action.example[name] }),
  }));
}

function parametersOf(action: Action): [name: string, schema: JsonSchema][] {
  const { properties = {} } = toSchema(action.params, "input") as {
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  return Object.entries(properties);
}

function describeForm(action: Action) {
  // Without an example the reference would send the word "string".
  const fields = parametersOf(action).map(([name, schema]) => [
    name,
    schema["type"] === "string" ? { ...schema, example: action.example[name] ?? "" } : schema,
  ]);
  const schema = { type: "object", properties: Object.fromEntries(fields) };
  return { required: true, content: { "multipart/form-data": { schema } } };
}

function describeRpc() {
  const request = {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      method: { type: "string" },
      params: { type: "array" },
      id: { type: ["integer", "string", "null"] },
    },
    required: ["jsonrpc", "method", "id"],
  };
  const answer = { anyOf: [rpcSchema({ result: {} }), reference("RpcFailure")] };
  return {
    operationId: "eth_rpc",
    summary: "Ethereum JSON-RPC, one request or a batch",
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: { anyOf: [request, { type: "array", items: request }] } } },
    },
    responses: {
      200: {
        description: "Answers in the order of the requests",
        content: {
          [JSON_TYPE]: { schema: { anyOf: [answer, { type: "array", items: answer }] } },
        },
      },
    },
  };
}

function explorerSchema(status: string, result: JsonSchema) {
  return {
    type: "object",
    properties: { status: { const: status }, message: { type: "string" }, result },
    required: ["status", "message", "result"],
  };
}

function rpcSchema(outcome: JsonSchema) {
  return {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      ...outcome,
      id: { type: ["integer", "string", "null"] },
    },
    required: ["jsonrpc", ...Object.keys(outcome), "id"],
  };
}

function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}

/** JSON Schema 2020-12, which is OpenAPI 3.1's. */
function toSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}
