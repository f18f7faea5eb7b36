import { RequestError } from "../../core/errors.ts";
import { type Input, type InputValue, lookUp } from "../http/input/form.ts";
import { type Action, type Definition, isServedIn, paramsIn } from "./action.ts";
import type { Dialect } from "./envelope.ts";
import { balances } from "./modules/account/balances.ts";
import { approvals, holdings } from "./modules/account/holdings.ts";
import { income } from "./modules/account/income.ts";
import { transactionsOfAccounts } from "./modules/account/transactions.ts";
import { blocks } from "./modules/block.ts";
import { contractLists, getaddresstag } from "./modules/contract/lists.ts";
import { sources } from "./modules/contract/sources.ts";
import { verificationStates } from "./modules/contract/verification/status.ts";
import { verifications, verifysourcecode } from "./modules/contract/verification/verify.ts";
import { gastracker } from "./modules/gastracker.ts";
import { getapilimit } from "./modules/getapilimit.ts";
import { getLogs } from "./modules/logs.ts";
import { indexMethods } from "./modules/proxy/index-methods.ts";
import { nodeMethods } from "./modules/proxy/node-methods.ts";
import { days } from "./modules/stats/days.ts";
import { coinPriceActions, supplies } from "./modules/stats/supplies-and-prices.ts";
import { tokens } from "./modules/token.ts";
import { transactions } from "./modules/transaction.ts";
import { listuserops, userops } from "./modules/user-operations.ts";

/** The actions of each module by name, in the order of the documentation. */
const tables = {
  account: { ...balances, ...transactionsOfAccounts, ...holdings, ...income, approvals, userops },
  logs: { getLogs },
  token: tokens,
  stats: { ...supplies, ...coinPriceActions, ...days },
  block: blocks,
  contract: {
    ...contractLists,
    ...sources,
    ...verifications,
    verifysourcecode,
    ...verificationStates,
  },
  transaction: { ...transactions, listuserops },
  gastracker,
  getapilimit: { getapilimit },
  nametag: { getaddresstag },
  proxy: { ...indexMethods, ...nodeMethods },
} satisfies Record<string, Readonly<Record<string, Definition>>>;

/** Every action of the API by its module, in that order. */
export const registry: Readonly<Record<string, readonly Action[]>> = Object.fromEntries(
  Object.entries(tables).map(([module, table]) => [
    module,
    Object.entries<Definition>(table).map(([name, action]) => ({ name, ...action })),
  ]),
);

/** Descriptions of the modules, for people. */
export const moduleSummaries: Readonly<Record<keyof typeof tables, string>> = {
  account: "Balances, transactions, transfers and holdings of addresses",
  logs: "Events that contracts emitted",
  token: "Tokens and their holders",
  stats: "Supplies, prices and daily figures of the chain",
  block: "Blocks, their rewards and their times",
  contract: "Sources and ABIs of contracts, and their verification",
  transaction: "Single transactions",
  gastracker: "Gas prices, in Etherscan's dialect only",
  getapilimit: "A client's own rate limit, in Etherscan's dialect only",
  nametag: "The operator's own names of addresses, in Etherscan's dialect only",
  proxy: "A node's own methods, in Etherscan's dialect only",
};

/** Returns every action of a dialect, in that order. */
export function actionsIn(dialect: Dialect): { module: string; action: Action }[] {
  return Object.entries(registry).flatMap(([module, actions]) =>
    actions.filter((action) => isServedIn(action, dialect)).map((action) => ({ module, action })),
  );
}

const byName = { blockscout: indexFor("blockscout"), etherscan: indexFor("etherscan") };

function indexFor(dialect: Dialect): ReadonlyMap<string, ReadonlyMap<string, Action>> {
  const byModule = Map.groupBy(actionsIn(dialect), ({ module }) => module);
  const named = ({ action }: { action: Action }) => [action.name.toLowerCase(), action] as const;
  return new Map([...byModule].map(([module, all]) => [module, new Map(all.map(named))]));
}

/** Returns the module and action in a request. Throws `RequestError` when one of them is absent. */
export function namesIn(input: Input): { module: InputValue; action: InputValue } {
  const module = lookUp(input, "module");
  const action = lookUp(input, "action");
  if (module === undefined || action === undefined) {
    const text = "Params 'module' and 'action' are required parameters";
    throw new RequestError(400, "missing-action", text);
  }
  return { module, action };
}

/** Returns the action of a request. Throws `RequestError` for an unknown module or action. */
export function findAction(input: Input, dialect: Dialect): { module: string; action: Action } {
  const names = namesIn(input);
  const module = nameOf(names.module);
  const actions = byName[dialect].get(module);
  if (!actions) throw new RequestError(400, "unknown-module", "Unknown module");
  const action = actions.get(nameOf(names.action));
  if (!action) throw new RequestError(400, "unknown-action", "Unknown action");
  return { module, action };
}

/** Returns the action in a path; undefined when there is none. Throws `RequestError` when the parameters name another. */
export function findActionOfPath(
  path: { module: string; action: string },
  input: Input,
  dialect: Dialect,
): { module: string; action: Action } | undefined {
  const module = nameOf(path.module);
  const action = byName[dialect].get(module)?.get(nameOf(path.action));
  if (!action) return undefined;
  for (const name of ["module", "action"] as const) {
    const sent = lookUp(input, name);
    if (sent !== undefined && nameOf(sent) !== nameOf(path[name])) {
      throw new RequestError(400, "missing-action", `Param '${name}' is not the path's`);
    }
  }
  return { module, action };
}

/** Returns a name in lower case; empty for a list or an object of a JSON body. */
function nameOf(value: InputValue): string {
  return typeof value === "string" ? value.toLowerCase() : "";
}

/** Lower-case names of the known parameters. */
export const parameterNames: ReadonlySet<string> = new Set([
  ...["module", "action", "id", "chainid", "chain_id", "tag"],
  ...Object.values(registry)
    .flat()
    .flatMap((action) => Object.keys(paramsIn(action, "etherscan").shape))
    .map((name) => name.toLowerCase()),
]);

/** Returns whether the parameters name a submission; undefined while module or action is absent. */
export function namesSubmission(input: Input): boolean | undefined {
  const module = lookUp(input, "module");
  const action = lookUp(input, "action");
  if (module === undefined || action === undefined) return undefined;
  return byName.etherscan.get(nameOf(module))?.get(nameOf(action))?.isSubmission ?? false;
}
