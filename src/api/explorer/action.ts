import type { Logger } from "pino";
import type { z } from "zod";
import type { CallerChain } from "../../chain/caller-chain.ts";
import type { Chain } from "../../chain/chain.ts";
import type { UnresponsiveContracts } from "../../chain/state/unresponsive-contracts.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Sql } from "../../db/client.ts";
import type { Verifier } from "../../verification/verifier.ts";
import type { Input, InputValue } from "../http/input/form.ts";
import type { LargeAnswers } from "../reading/large-answers.ts";
import type { Read } from "../reading/snapshot.ts";
import type { Dialect, Failure, FailureOptions, Outcome, PerDialect } from "./envelope.ts";
import type { Mempool } from "./from-node/transactions/mempool.ts";
import type { GasOracle } from "./gas/prices.ts";

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

/** A client's use of its rate limit in the running window. */
export interface RateUsage {
  requests: number;
  limit: number;
  /** Until the window ends. */
  resetMs: number;
}

/** What a handler works with for one request. It reads the index only through `read`, so one answer shows one state. */
export interface Context extends Omit<Services, "sql" | "chain"> {
  read: Read;
  /** Asked in the name of who asks, and no longer than the answer is waited for. */
  chain: CallerChain;
  dialect: Dialect;
  /** All parameters as sent, unknown ones included. */
  sent: Input;
  /** The queue for answers that may be large. */
  largeAnswers: LargeAnswers;
  /** Who asks, as the rate limiter tells clients apart. */
  client: string;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Gas prices at the head, kept until the head changes. */
  gasOracle: GasOracle;
  /** Contracts that the node got stuck in for an answer. */
  unresponsive: UnresponsiveContracts;
  /** What waits in the node's pool, read for all clients together. */
  mempool: Mempool;
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
  /**
   * Another envelope than the explorer's. Errors are texts in `json-rpc`, as in the reference, and objects in `proxy`, as
   * from a node.
   */
  envelope?: "json-rpc" | "proxy";
  /** The action is about no chain: `chainid` is ignored. */
  ofNoChain?: true;
  /** For documentation only: the parameters are sent in a body, since they are too large for a query. Both work. */
  isSubmission?: true;
  /** JSON-RPC envelope only: the `id` of every answer. Without it the request's own, or 1. */
  id?: number;
  /** Schema per parameter; the wire's error texts stand in it (params.ts). */
  params: Params;
  /** The parameters in Etherscan's dialect, where they differ: `params` and more. */
  etherscanParams?: EtherscanParams;
  /** An empty parameter counts as absent. */
  emptyIsAbsent?: true;
  /** Required parameters of a submission. Clients send them under several names, so the schema cannot require them. */
  required?: readonly string[];
  /** The parameter that a form brings as uploaded files, and JSON as texts by file name. */
  files?: { name: string; example: Readonly<Record<string, string>> };
  /** Some parameters turn the answer into plain text. */
  mayBeText?: true;
  /** Values that absent parameters have in Etherscan's dialect. */
  etherscanDefaults?: Readonly<Record<string, string>>;
  /** Schema of `result` on success; one for each dialect where they differ. */
  result: Result | { blockscout: Result; etherscan: EtherscanResult };
  /** Message of an empty list, which then has status 0. */
  empty?: PerDialect<string>;
  /** A request that answers on a chain with data, for documentation and tests. */
  example: Readonly<Record<string, string>>;
  /** Says what is wrong with the parameters as a whole; runs before all other checks. */
  check?(parameters: RawParameters, dialect: Dialect): Failure | undefined;
  /** One text for all absent required parameters; without it the first one's own text is answered. */
  missing?(names: readonly string[]): string;
  /** How an absent or bad parameter is answered, where not by the text with HTTP 200 alone. */
  refuse?(text: string): FailureOptions;
  /** Answered also while the first synchronisation is running. */
  servedWhileLoading?: boolean;
  /**
   * The answer depends only on blocks up to the head: not on what is read from the node later (balances, names of
   * tokens), on verified sources or on the clock. The head row then tells whether a client's copy is still right.
   */
  changesWithHead?: PerDialect<boolean>;
  /** Whether a request asks for names of verified sources besides, which change without the head. */
  asksForSources?(input: z.output<Params> | z.output<EtherscanParams>): boolean;
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

/** Whether a dialect has an action. */
export function isServedIn({ dialect }: Action, wanted: Dialect): boolean {
  return dialect === undefined || dialect === wanted;
}
