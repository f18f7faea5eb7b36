import { type Input, lookUp } from "../http/input/form.ts";
import { type Action, isServedIn } from "./action.ts";
import type { Dialect } from "./envelope.ts";
import { approvals } from "./modules/account/approvals.ts";
import { balances } from "./modules/account/balances.ts";
import { holdings } from "./modules/account/holdings.ts";
import { income } from "./modules/account/income.ts";
import { transactionsOfAccounts } from "./modules/account/transactions.ts";
import { tokenTransferLists } from "./modules/account/transfers.ts";
import { blocks } from "./modules/block/blocks.ts";
import { blockTimes } from "./modules/block/times.ts";
import { contractLists } from "./modules/contract/lists.ts";
import { sources } from "./modules/contract/sources.ts";
import { verificationStates } from "./modules/contract/verification/status.ts";
import { verifications } from "./modules/contract/verification/verify.ts";
import { verifysourcecode } from "./modules/contract/verification/verifysourcecode.ts";
import { gastracker } from "./modules/gastracker.ts";
import { getapilimit } from "./modules/getapilimit.ts";
import { getLogs } from "./modules/logs.ts";
import { indexMethods } from "./modules/proxy/index-methods.ts";
import { nodeMethods } from "./modules/proxy/node-methods.ts";
import { days } from "./modules/stats/days.ts";
import { coinPriceActions } from "./modules/stats/prices.ts";
import { supplies } from "./modules/stats/supplies.ts";
import { tokens } from "./modules/token.ts";
import { transactionLists } from "./modules/transaction/lists.ts";
import { transactions } from "./modules/transaction/transactions.ts";

/** Every action of the API by its module, in the order of the documentation. */
export const registry: Readonly<Record<string, readonly Action[]>> = {
  account: [
    ...balances,
    ...transactionsOfAccounts,
    ...tokenTransferLists,
    ...holdings,
    ...income,
    approvals,
  ],
  logs: [getLogs],
  token: tokens,
  stats: [...supplies, ...coinPriceActions, ...days],
  block: [...blocks, ...blockTimes],
  contract: [
    ...contractLists,
    ...sources,
    ...verifications,
    verifysourcecode,
    ...verificationStates,
  ],
  transaction: [...transactions, ...transactionLists],
  gastracker,
  getapilimit: [getapilimit],
  proxy: [...indexMethods, ...nodeMethods],
};

/** Descriptions of the modules, for people. */
export const moduleSummaries: Readonly<Record<keyof typeof registry, string>> = {
  account: "Balances, transactions, transfers and holdings of addresses",
  logs: "Events that contracts emitted",
  token: "Tokens and their holders",
  stats: "Supplies, prices and daily figures of the chain",
  block: "Blocks, their rewards and their times",
  contract: "Sources and ABIs of contracts, and their verification",
  transaction: "Single transactions",
  gastracker: "Gas prices, in Etherscan's dialect only",
  getapilimit: "A client's own rate limit, in Etherscan's dialect only",
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
  const modules = new Map<string, Map<string, Action>>();
  for (const { module, action } of actionsIn(dialect)) {
    const actions = modules.get(module) ?? new Map();
    modules.set(module, actions.set(action.name.toLowerCase(), action));
  }
  return modules;
}

/** Returns a module's actions by lower-case name; undefined for a module that the dialect lacks. */
export function actionsOf(
  module: string,
  dialect: Dialect,
): ReadonlyMap<string, Action> | undefined {
  return byName[dialect].get(module);
}

/** Returns whether the parameters name a submission; undefined while module or action is absent. */
export function namesSubmission(input: Input): boolean | undefined {
  const module = lookUp(input, "module");
  const action = lookUp(input, "action");
  if (module === undefined || action === undefined) return undefined;
  if (typeof module !== "string" || typeof action !== "string") return false;
  const named = actionsOf(module.toLowerCase(), "etherscan")?.get(action.toLowerCase());
  return named?.isSubmission ?? false;
}
