import { type Action, paramsIn } from "../explorer/action.ts";
import { actionsIn } from "../explorer/registry.ts";
import { describeParameters } from "../openapi/schemas.ts";

// The tools of agents, made from the registry. Source: docs/wire.md, "MCP".

/** A tool that answers from one action. */
export interface ActionTool {
  name: string;
  module: string;
  action: Action;
}

const PICKED = (
  "account_balance account_txlist account_txlistinternal account_tokentx account_tokenlist account_approvals account_fundedby " +
  "token_getToken token_getTokenHolders transaction_gettxinfo transaction_getstatus transaction_listtransfers block_getblock " +
  "block_getblocknobytime contract_listbyname contract_getabi contract_getsourcecode contract_readcontract " +
  "contract_getcontractcreation logs_getLogs"
).split(" ");
const WITHHELD = new Set(["eth_sendRawTransaction", "getapilimit", "verifyproxycontract"]);
/** Most rows of a list; a larger page does not fit into an answer. */
export const MOST_ROWS = 200;
export const USUAL_ROWS = 25;

/** All actions that only read, by the name of their tool. */
export const actionTools: ReadonlyMap<string, ActionTool> = new Map(
  actionsIn("etherscan")
    .filter(({ action }) => !action.isSubmission && !WITHHELD.has(action.name))
    .map(({ module, action }) => {
      const name = `${module}_${action.name}`;
      return [name, { name, module, action }];
    }),
);

/** Returns whether an action returns rows in pages. */
export function isList({ action }: ActionTool): boolean {
  return "offset" in paramsIn(action, "etherscan").shape;
}

/** Returns the names of an action's arguments. A list with cursors has no `page`. */
export function listArguments(action: Action): string[] {
  const withheld = action.cursor === undefined ? ["format"] : ["format", "page"];
  return Object.keys(paramsIn(action, "etherscan").shape).filter(
    (name) => !withheld.includes(name),
  );
}

/** Arguments of lists that differ from the API's parameters. */
const LIST_ARGUMENTS: Readonly<Record<string, object>> = {
  cursor: text("next_cursor of the answer before"),
  offset: {
    description: "Rows",
    type: "integer",
    minimum: 1,
    maximum: MOST_ROWS,
    default: USUAL_ROWS,
  },
};

/** Returns the schema of an action's arguments; `chainid` is required on a server of several chains. */
function describeArguments({ action }: ActionTool, severalChains: boolean) {
  const names = listArguments(action);
  const described = describeParameters(action, "etherscan");
  const parameters = described.filter(({ name }) => names.includes(name));
  const properties = parameters.map(({ name, description, schema }) => [
    name,
    LIST_ARGUMENTS[name] ?? { ...schema, ...(description && { description }) },
  ]);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return objectSchema(
    { ...Object.fromEntries(properties), chainid: text("Id of the chain") },
    severalChains ? [...required, "chainid"] : required,
  );
}

function objectSchema(
  properties: Record<string, object>,
  required: readonly string[] = Object.keys(properties),
) {
  return { type: "object", properties, required, additionalProperties: false };
}

function text(description: string, more: object = {}) {
  return { type: "string", description, ...more };
}

/** Tools without an action. */
export const OWN_TOOLS = {
  find_action: {
    description: "Finds further actions by words; call_action runs them",
    inputSchema: objectSchema({ query: text("Words", { minLength: 1, maxLength: 200 }) }),
  },
  call_action: {
    description: "Runs any action that reads, by the name that find_action gives",
    inputSchema: objectSchema(
      {
        name: text("Name of the action, module_action"),
        arguments: { type: "object", description: "Its arguments" },
      },
      ["name"],
    ),
  },
  list_chains: {
    description: "The chains of this server, with their states",
    inputSchema: objectSchema({}),
  },
  convert_amount: {
    description: "Divides a whole number by 10^decimals, exactly: amounts are in the smallest unit",
    inputSchema: objectSchema({
      amount: text("Whole number", { pattern: "^[0-9]{1,100}$" }),
      decimals: { type: "integer", minimum: 0, maximum: 255 },
    }),
  },
} as const;

const ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  // Answers carry texts that strangers wrote.
  openWorldHint: true,
};

/** Describes the listed tools. */
export function listTools(severalChains: boolean) {
  const picked = PICKED.flatMap((name) => {
    const tool = actionTools.get(name);
    return tool ? [describe(tool, severalChains)] : [];
  });
  const own = Object.entries(OWN_TOOLS).map(([name, tool]) => ({ name, ...tool }));
  return [...picked, ...own].map((tool) => ({ ...tool, annotations: ANNOTATIONS }));
}

function describe(tool: ActionTool, severalChains: boolean) {
  const { name, action } = tool;
  return { name, description: action.summary, inputSchema: describeArguments(tool, severalChains) };
}

/** Returns the actions that match the words best; the names of all if none matches. */
export function findActions(query: string, severalChains: boolean): unknown[] {
  const words = query.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const scored = [...actionTools.values()].map((tool) => ({ tool, score: rateTool(tool, words) }));
  const best = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  return best.length > 0
    ? best.slice(0, 8).map(({ tool }) => describe(tool, severalChains))
    : [...actionTools.keys()];
}

function rateTool({ name, action }: ActionTool, words: readonly string[]): number {
  const parameters = Object.keys(paramsIn(action, "etherscan").shape).join(" ").toLowerCase();
  const [named, summary] = [name.toLowerCase(), action.summary.toLowerCase()];
  return words.reduce((score, word) => {
    const stem = word.length > 3 ? word.replace(/s$/, "") : word;
    if (named.includes(stem)) return score + 4;
    return score + (summary.includes(stem) ? 3 : parameters.includes(stem) ? 1 : 0);
  }, 0);
}
