import type { Logger } from "pino";
import type { z } from "zod";
import type { Chain } from "../chain/chain.ts";
import type { Address } from "../core/address.ts";
import type { Sql } from "../db/client.ts";
import type { Verifier } from "../verification/verifier.ts";
import type { Dialect, Failure, Outcome, PerDialect } from "./envelope.ts";
import type { GasOracle } from "./gas/prices.ts";
import type { Input, InputValue } from "./input.ts";
import type { LargeAnswers } from "./large-answers.ts";
import type { RateUsage } from "./rate-usage.ts";
import type { Read } from "./state.ts";

/** What every handler works with, the same for all requests. */
export interface Services {
  /** For reading only; may be a replica. */
  sql: Sql;
  chain: Chain;
  /** Id of the chain. Throws `RequestError` until the node was reached for the first time. */
  chainId(): number;
  log: Logger;
  verifier: Verifier;
  /** Reward of a block besides its fees, in wei. */
  staticReward: bigint;
  /** Whether `eth_sendRawTransaction` is passed on to the node. */
  sendRawTransaction: boolean;
  /** Aggregator contracts that tell the price of the coin; absent without one. */
  priceFeeds: { usd?: Address; btc?: Address };
}

/** What a handler works with for one request. The index is read by `read` and no other way: one state, and it is told. */
export interface Context extends Omit<Services, "sql"> {
  read: Read;
  dialect: Dialect;
  /** All parameters as sent, unknown ones included. */
  sent: Input;
  /** Whatever may be large waits here for its turn. */
  largeAnswers: LargeAnswers;
  /** Who asks, as the rate limiter tells clients apart. */
  client: string;
  /** Prices of gas at the head, kept while it stands. */
  gasOracle: GasOracle;
  /** What a client has used of its rate limit; undefined where there is none. */
  usageOf(client: string): RateUsage | undefined;
}

/** Parameters of an action before its schema has seen them: absent ones undefined. */
export type RawParameters = Readonly<Record<string, InputValue | undefined>>;

/**
 * One action of the API: the only place that describes it. Checks run in this order: `check`, absent parameters in
 * the order of `params`, then the values in that order; the first complaint is the answer.
 */
export interface Action<
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodType = z.ZodType,
  EtherscanResult extends z.ZodType = Result,
  EtherscanParams extends z.ZodObject = Params,
> {
  /** The wire's spelling; looked up in any letter case. */
  name: string;
  /** One line for people, without a full stop. */
  summary: string;
  /** Served in this dialect alone; without it in both. */
  dialect?: Dialect;
  /** `json-rpc` has errors that are texts, as the reference; `proxy` objects, as a node. */
  envelope: "explorer" | "json-rpc" | "proxy";
  /** It is about no chain: `chainid` is not looked at. */
  ofNoChain?: true;
  /** For documentation: it carries more than fits into a query, and is sent as a form. Every action is answered either way. */
  isSubmission?: true;
  /** JSON-RPC envelope only: the `id` of every answer. Without it the request's own, or 1. */
  id?: number;
  /** Schema per parameter; the wire's error texts stand in it (params.ts). */
  params: Params;
  /** The parameters in Etherscan's dialect, where they differ: `params` and more. */
  etherscanParams?: EtherscanParams;
  /** An empty parameter counts as absent. */
  emptyIsAbsent?: true;
  /** Parameters that must be sent, of a submission: clients send them under several names, so no schema can tell. */
  required?: readonly string[];
  /** The parameter that a form brings as uploaded files, and JSON as texts by file name. */
  files?: { name: string; example: Readonly<Record<string, string>> };
  /** Some parameters make the answer a plain text instead. */
  mayBeText?: true;
  /** Values that absent parameters have in Etherscan's dialect. */
  etherscanDefaults?: Readonly<Record<string, string>>;
  /** What `result` holds on success, where the dialects differ one schema for each. */
  result: Result | { blockscout: Result; etherscan: EtherscanResult };
  /** Message of an empty list, which then has status 0. */
  empty?: PerDialect<string>;
  /** A request that answers on a chain with data, for documentation and tests. */
  example: Readonly<Record<string, string>>;
  /** What is wrong with the parameters as a whole, looked at first. */
  check?(parameters: RawParameters, dialect: Dialect): string | undefined;
  /** One text for all absent required parameters; without it the first one's own text is answered. */
  missing?(names: readonly string[]): string;
  /** How a complaint about a parameter is answered. Without it as `failed(text)`. */
  refuse?(text: string, parameter: string): Failure;
  /** Answered also while the first synchronisation is running. */
  servedWhileLoading?: boolean;
  /**
   * The answer follows from blocks up to the head alone: not from what is read of the node later (balances, names of
   * tokens), not from verified sources, not from the clock. A client that has it is told so by the head row.
   */
  changesWithHead?: PerDialect<boolean>;
  handle(
    context: Context,
    input: z.output<Params> | z.output<EtherscanParams>,
  ): Promise<Outcome<z.output<Result> | z.output<EtherscanResult>>>;
}

/** Declares an action: infers the handler's input from `params`, and checks its outcome against `result`. */
export function defineAction<
  Params extends z.ZodObject,
  Result extends z.ZodType,
  EtherscanResult extends z.ZodType = Result,
  EtherscanParams extends z.ZodObject = Params,
>(
  action: Action<Params, Result, EtherscanResult, EtherscanParams>,
): Action<Params, Result, EtherscanResult, EtherscanParams> {
  return action;
}

/** The schema of an action's parameters in a dialect. */
export function paramsIn(action: Action, dialect: Dialect): z.ZodObject {
  return (dialect === "etherscan" ? action.etherscanParams : undefined) ?? action.params;
}

/** Whether an action is there in a dialect. */
export function isServedIn({ dialect }: Action, wanted: Dialect): boolean {
  return dialect === undefined || dialect === wanted;
}
