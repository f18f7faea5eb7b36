import type { Action } from "../explorer/action.ts";
import { type Dialect, forDialect } from "../explorer/envelope.ts";
import { FILE_TYPES } from "../explorer/list-file.ts";
import { actionsIn } from "../explorer/registry.ts";
import answers from "./answers.json" with { type: "json" };
import {
  type Components,
  describeParameters,
  explorerSuccess,
  JSON_TYPE,
  type JsonSchema,
  json,
  reference,
  responses,
  rpcSuccess,
} from "./schemas.ts";

const TEXT_TYPE = "text/plain";
const FORM_TYPE = "multipart/form-data";
const CHAIN_ID = {
  name: "chainid",
  in: "query",
  description:
    "Id of the chain, also as `chain_id`; required when the server has several. A chain that is not served is refused",
  schema: { type: "integer" },
};

/** Describes the actions of one dialect as paths `base/module/action`. */
export function describeActions(
  base: string,
  dialect: Dialect,
  components: Components,
): Record<string, object> {
  const paths = actionsIn(dialect).map(({ module, action }) => {
    const path = `${base}/${module}/${action.name}`;
    const method = action.isSubmission ? "post" : "get";
    return [path, { [method]: describeAction(path, module, action, dialect, components) }];
  });
  return Object.fromEntries(paths);
}

function describeAction(
  path: string,
  module: string,
  action: Action,
  dialect: Dialect,
  components: Components,
): object {
  const chainId = dialect === "etherscan" && !action.ofNoChain ? [CHAIN_ID] : [];
  return {
    operationId: dialect + capital(module) + camelCasedName(action),
    tags: [module],
    summary: action.summary,
    parameters: action.isSubmission
      ? chainId
      : [
          ...describeParameters(action, dialect).map(({ example, ...parameter }) => ({
            ...parameter,
            in: "query",
            ...(example !== undefined && { example }),
          })),
          ...chainId,
        ],
    ...(action.isSubmission && { requestBody: describeBody(action, dialect) }),
    responses: RESPONSES[action.envelope ?? "explorer"]({ path, action, dialect, components }),
  };
}

/** Describes the body of a submission: JSON for programs, a form for clients with files. */
function describeBody(action: Action, dialect: Dialect): object {
  const parameters = describeParameters(action, dialect);
  const properties = parameters.map(({ name, description, schema }) => [
    name,
    { ...schema, description },
  ]);
  const example = {
    ...action.example,
    ...(action.files && { [action.files.name]: action.files.example }),
  };
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const json: ObjectSchema = {
    type: "object",
    properties: Object.fromEntries(properties),
    required,
  };
  return {
    required: true,
    content: {
      [JSON_TYPE]: { schema: json, example },
      [FORM_TYPE]: action.files
        ? { schema: formWithFiles(action.files.name, json) }
        : { schema: json, example: action.example },
    },
  };
}

type ObjectSchema = JsonSchema & { properties: Record<string, JsonSchema>; required: string[] };

/** Returns the schema of a form: brackets after a name mean that several files are allowed. */
function formWithFiles(name: string, { properties, required, ...rest }: ObjectSchema): JsonSchema {
  const files = { type: "array", items: { type: "string", format: "binary" } };
  const { [name]: _asJson, ...others } = properties;
  const description = "The compiler's metadata file and the sources";
  return {
    ...rest,
    properties: { ...others, [`${name}[]`]: { ...files, description } },
    required: required.map((each) => (each === name ? `${name}[]` : each)),
  };
}

/** An action in one dialect. */
interface Described {
  path: string;
  action: Action;
  dialect: Dialect;
  components: Components;
}

const LIST_HEADERS = {
  "x-next-cursor": {
    description: "`cursor` of the next page; absent on the last one",
    schema: { type: "string" },
  },
  "x-periscope-rows": { description: "Rows of a file", schema: { type: "integer" } },
};

function explorerResponses(described: Described): object {
  const { action, dialect, components } = described;
  const success = components.add(
    nameOf(action, dialect),
    explorerSuccess(resultOf(action, dialect, components)),
  );
  const answer = answerOf(described, "The action ran; `status` shows whether it has a result", [
    success,
    reference("ExplorerFailure"),
  ]);
  const isList = action.cursor !== undefined;
  const types = [
    ...(action.mayBeText ? [TEXT_TYPE] : []),
    ...(isList ? Object.values(FILE_TYPES) : []),
  ];
  const texts = types.map((type) => [type.split(";")[0], { schema: { type: "string" } }]);
  const content = { ...answer.content, ...Object.fromEntries(texts) };
  return responses({
    200: { ...answer, content, ...(isList && { headers: LIST_HEADERS }) },
    ...(isList && {
      409: json(
        "The chain or the list has changed since the cursor: begin again",
        reference("ExplorerFailure"),
      ),
    }),
  });
}

/** Describes errors: objects with HTTP 200; a request refused before the action runs gets the explorer's envelope. */
function proxyResponses(described: Described): object {
  const { action, dialect, components } = described;
  const success = components.add(
    `${nameOf(action, dialect)}Proxy`,
    rpcSuccess(components.describe(forDialect(action.result, dialect))),
  );
  const forms = [success, reference("RpcFailure"), reference("ExplorerFailure")];
  return responses({ 200: answerOf(described, "The result, or an error object", forms) });
}

function rpcResponses(described: Described): object {
  const { action, dialect, components } = described;
  const success = components.add(
    nameOf(action, dialect),
    rpcSuccess(resultOf(action, dialect, components)),
  );
  const refused = { anyOf: [reference("RpcFailure"), reference("ExplorerFailure")] };
  return responses({
    200: answerOf(described, "The result", [success, reference("ExplorerFailure")]),
    400: json("The request cannot be read, or a parameter is absent or bad", refused),
    404: json("No such entry", reference("RpcFailure")),
  });
}

/** Describes an answer in one of these forms, with the recorded example (`npm run examples`). */
function answerOf({ path }: Described, description: string, forms: readonly JsonSchema[]) {
  const example = (answers as Readonly<Record<string, unknown>>)[path];
  return { description, content: { [JSON_TYPE]: { schema: { anyOf: forms }, example } } };
}

const RESPONSES = {
  explorer: explorerResponses,
  "json-rpc": rpcResponses,
  proxy: proxyResponses,
};

/** Returns the result's schema. Entries of lists are named components, so that generated clients have named types. */
function resultOf(action: Action, dialect: Dialect, components: Components): JsonSchema {
  const result = components.describe(forDialect(action.result, dialect));
  const items = result["items"] as JsonSchema | undefined;
  const name = nameOf(action, dialect);
  if (isObject(items)) return { ...result, items: components.add(`${name}Entry`, items) };
  return isObject(result) ? components.add(`${name}Result`, result) : result;
}

function isObject(schema: JsonSchema | undefined): schema is JsonSchema {
  return schema?.["type"] === "object" && "properties" in schema;
}

function nameOf(action: Action, dialect: Dialect): string {
  return capital(dialect) + camelCasedName(action);
}

/** Returns the action's name in camel case: `EthGetBalance`. */
function camelCasedName(action: Action): string {
  return action.name.split("_").map(capital).join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
