import type { Logger } from "pino";
import type { z } from "zod";
import type { CallerChain } from "../../chain/caller-chain.ts";
import type { Chain } from "../../chain/chain.ts";
import type { UnresponsiveContracts } from "../../chain/state/unresponsive-contracts.ts";
import type { Address } from "../../core/evm/address.ts";
import type { Sql } from "../../db/client.ts";
import type { PageRange } from "../../store/lists/large-pages.ts";
import type { Order } from "../../store/lists/page.ts";
import type { Verifier } from "../../verification/verifier.ts";
import type { Input, InputValue } from "../http/input/form.ts";
import type { RateUsage } from "../http/rate-limit.ts";
import type { LargeAnswers } from "../reading/bounds.ts";
import type { Read } from "../reading/snapshot.ts";
import type { Dialect, Failure, FailureOptions, Outcome, PerDialect } from "./envelope.ts";
import type { Mempool } from "./from-node/transactions/unindexed.ts";
import type { GasOracle } from "./gas.ts";
import type { Labels } from "./labels.ts";

/** Services of every handler, the same for all requests. */
export interface Services {
  /** Read-only; may be a replica. */
  sql: Sql;
  chain: Chain;
  /** Returns the id of the chain. Throws `RequestError` before the first contact with the node. */
  chainId(): number;
  log: Logger;
  verifier: Verifier;
  /** Reward of a block besides its fees, in wei. */
  staticReward: bigint;
  /** True if `eth_sendRawTransaction` is forwarded to the node. */
  sendRawTransaction: boolean;
  /** Returns the operator's names of addresses, as read last. Throws as `chainId`. */
  labels(): Labels;
  /** Contracts with the coin's price; absent where the operator set none. */
  priceFeeds: { usd?: Address; btc?: Address };
}

/** Input of every answer. It reads the index only through `read`, so one answer shows one state. */
export interface Reading extends Omit<Services, "sql" | "chain"> {
  read: Read;
  /** Scoped to the caller; cancelled with the request. */
  chain: CallerChain;
}

/** Input of an action's handler for one request. */
export interface Context extends Reading {
  dialect: Dialect;
  /** The page by `page` and `offset`, or by a cursor. */
  page: PageRange;
  /** The order of a list: as asked, by default newest first in Blockscout's dialect, oldest first in Etherscan's. */
  order: Order;
  /** All parameters as sent, unknown ones included. */
  sent: Input;
  largeAnswers: LargeAnswers;
  /** The client's identity, as in the rate limiter. */
  client: string;
  /** Aborted when no client waits for the answer. */
  signal: AbortSignal;
  /** Gas prices at the head, cached until the head changes. */
  gasOracle: GasOracle;
  /** Contracts whose calls went unanswered in earlier requests. */
  unresponsive: UnresponsiveContracts;
  /** The node's pool, read for all clients together. */
  mempool: Mempool;
  /** Returns a client's use of its rate limit; undefined without one. */
  usageOf(client: string): RateUsage | undefined;
}

/** Parameters of an action before their schema: absent ones undefined. */
export type RawParameters = Readonly<Record<string, InputValue | undefined>>;

/** One action of the API. The page comes first, then `check`, absent parameters, and values, each in the order of `params`. */
export interface Definition<
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodType = z.ZodType,
  EtherscanResult extends z.ZodType = Result,
  EtherscanParams extends z.ZodObject = Params,
> {
  /** One line for people, without a full stop. */
  summary: string;
  /** Served in this dialect alone; without it in both. */
  dialect?: Dialect;
  /** The envelope, if not the explorer's. Errors are texts in `json-rpc`, objects in `proxy`. */
  envelope?: "json-rpc" | "proxy";
  /** The action concerns no chain: `chainid` is ignored. */
  ofNoChain?: true;
  /** For documentation only: the parameters are sent in a body, since they are too large for a query. Both work. */
  isSubmission?: true;
  /** JSON-RPC envelope only: the `id` of every answer. Without it the request's own, or 1. */
  id?: number;
  /** Schema per parameter, with the wire's error texts (params.ts). */
  params: Params;
  /** The parameters in Etherscan's dialect, where they differ: `params` and more. */
  etherscanParams?: EtherscanParams;
  /** An empty parameter counts as absent. */
  emptyIsAbsent?: true;
  /** Required parameters of a submission. Clients send them under several names, so the schema cannot require them. */
  required?: readonly string[];
  /** The parameter for files: uploads in a form, texts by file name in JSON. */
  files?: { name: string; example: Readonly<Record<string, string>> };
  /** Some parameters make the answer plain text. */
  mayBeText?: true;
  /** Pages beyond the first 10,000 rows are served too. */
  anyPage?: true;
  /** Defaults of absent parameters in Etherscan's dialect. */
  etherscanDefaults?: Readonly<Record<string, string>>;
  /** Schema of `result` on success; one for each dialect where they differ. */
  result: Result | { blockscout: Result; etherscan: EtherscanResult };
  /** Message of an empty list, which then has status 0. */
  empty?: PerDialect<string>;
  /** A request that succeeds on a chain with data, for documentation and tests. */
  example: Readonly<Record<string, string>>;
  /** Returns the fault of the parameters as a whole; runs before all other checks. */
  check?(parameters: RawParameters): Failure | undefined;
  /** Returns one text for all absent required parameters; without it the first one's own text is the answer. */
  missing?(names: readonly string[]): string;
  /** Returns how the answer for an absent or invalid parameter differs from its text with HTTP 200. */
  refuse?(text: string): FailureOptions;
  /** Answered also during the first synchronisation. */
  servedWhileLoading?: boolean;
  /**
   * The list supports cursors: over rows up to a block (`history`), over members with values of
   * each page's state (`members`), or over the holdings of a token or an owner while no transfer
   * changes them.
   */
  cursor?: "history" | "members" | "token" | "owner";
  /** True if the answer depends only on blocks up to the head, so that the head's tag revalidates a client's copy. */
  changesWithHead?: PerDialect<boolean>;
  /** Returns whether a request also asks for names of verified sources, which change independently of the head. */
  asksForSources?(input: z.output<Params> | z.output<EtherscanParams>): boolean;
  handle(
    context: Context,
    input: z.output<Params> | z.output<EtherscanParams>,
  ): Promise<Outcome<z.output<Result> | z.output<EtherscanResult>>>;
}

/** An action under its name in the wire's spelling, which is found in any letter case. */
export interface Action extends Definition {
  name: string;
}

/** Declares an action: infers the handler's input from `params`, and checks its outcome against `result`. */
export function defineAction<
  Params extends z.ZodObject,
  Result extends z.ZodType,
  EtherscanResult extends z.ZodType = Result,
  EtherscanParams extends z.ZodObject = Params,
>(
  action: Definition<Params, Result, EtherscanResult, EtherscanParams>,
): Definition<Params, Result, EtherscanResult, EtherscanParams> {
  return action;
}

/** Returns the schema of an action's parameters in a dialect. */
export function paramsIn(action: Action, dialect: Dialect): z.ZodObject {
  return (dialect === "etherscan" ? action.etherscanParams : undefined) ?? action.params;
}

/** Returns whether a dialect has an action. */
export function isServedIn({ dialect }: Action, wanted: Dialect): boolean {
  return dialect === undefined || dialect === wanted;
}
