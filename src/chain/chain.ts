import type { BaseLogger } from "pino";
import type { Address } from "../core/evm/address.ts";
import type { Hex } from "../core/evm/hex.ts";
import type { ChainErrorCode, RpcErrorObject } from "./errors/errors.ts";
import type { Retry } from "./retry.ts";
import type { Sift } from "./rpc/large-answer.ts";
import type { NodeClient } from "./rpc/node-client.ts";
import type { CreationRunner } from "./state/creations.ts";
import type { StateReader } from "./state/state.ts";
import type { BlockHeader, FetchedBlock } from "./types.ts";

/** Name of a node in logs, metrics and options, `node 1` for the first URL: whoever reads it learns nothing of the URL. */
export type NodeName = string;

export interface ChainOptions {
  /** HTTP URLs of the nodes in order of preference, at least one. User and password of a URL are sent as Basic. */
  urls: readonly string[];
  /** Announces new heads; without it they are polled. */
  webSocketUrl?: string;
  /** Bound of one HTTP request, from its start to the last byte of the answer. */
  requestTimeoutMs: number;
  /** Most entries of one JSON-RPC batch. */
  batchSize: number;
  /** Most HTTP requests in flight at one node. */
  concurrency: number;
  /** Largest answer, unpacked, of one HTTP request. */
  maxResponseBytes: number;
  traces: "auto" | "off";
  /** Redacted from the nodes' errors and from the log, as are the secrets of their URLs. */
  secrets?: readonly string[];
  log: Pick<BaseLogger, "info" | "warn">;
  /** Ends every wait and request with a `ChainError` of code `aborted`. */
  signal: AbortSignal;
  /** Called once for each HTTP request; `method` is `batch` when its entries call different methods. */
  onRequest?(method: string, outcome: "ok" | ChainErrorCode, ms: number): void;
}

/** How long a caller's question may take, its wait in the queue included. */
export const CALLER_TIMEOUT_MS = 5000;

/** Where a question goes. Without `node` the nodes are tried in order of preference. */
export interface AskOptions {
  /** Only this node. */
  node?: NodeName;
  /** Any node but this one; this one all the same when there is no other. */
  avoid?: NodeName;
  signal?: AbortSignal | undefined;
  /** The budget of the work that this is a part of; without it the question has its own. */
  retry?: Retry;
  /** The head waits for these reads: they are sent a second time when the answer takes longer than usual. */
  headWaits?: boolean;
  /** An unknown block and a head that moves are reported at once: the caller looks whether the chain has changed. */
  tellReorgs?: boolean;
  /**
   * Who chose what the node has to do, as the API tells clients apart. Such a question waits at a gate of its own
   * (`Gate`), is given up after `CALLER_TIMEOUT_MS`, and that it takes long is not held against the node.
   */
  caller?: string;
  /** Bound of one request; after it the node is not asked again. */
  answerMs?: number;
}

export interface ProbeOptions extends AskOptions {
  /** The only chain wanted: a node that serves another one is passed over. */
  chainId?: number;
}

export interface FetchOptions extends AskOptions {
  /** False: without traces, for a block that cannot be traced (a tracer that gives up on it each time). */
  traces?: boolean;
}

export interface RpcCall {
  method: string;
  params: readonly unknown[];
  /** Reduces the result to what is needed, as soon as it has come. */
  read?: (result: unknown) => unknown;
  /** Reads an answer that is too large to be held, and drops what is not needed. */
  sift?: () => Sift;
}

/** What the node said, or why no node said anything. `error` is the JSON-RPC error object, without what names the node. */
export type ForwardedAnswer =
  | { result: unknown }
  | { error: RpcErrorObject }
  | { unanswered: Unanswered };

/** `busy`: the caller, or all of them, have too many calls waiting. `late`: given up after `CALLER_TIMEOUT_MS`. */
export type Unanswered = "unreachable" | "busy" | "late";

export type Tracer =
  | "debug_traceBlockByHash"
  | "debug_traceBlockByNumber"
  | "trace_block"
  | "debug_traceTransaction";

/** What the nodes are known to offer. */
export interface Capabilities {
  /** Some node answers `eth_getBlockReceipts`. */
  blockReceipts: boolean;
  /** Null: blocks are fetched without traces, `tracerReason` tells why. */
  tracer: Tracer | null;
  tracerReason: string | null;
  /** Whether the state of the first blocks can be read; null while that is not known. */
  archive: boolean | null;
  /** Some node answers `txpool_content`. */
  txpool: boolean;
  /** False while a node did not answer: the rest is then a lower bound, and is asked for again. */
  settled: boolean;
}

export interface ChainProbe {
  chainId: number;
  /** Hash of block 0, or of the earliest block where a development chain begins above 0. */
  genesisHash: Hex;
  /** `web3_clientVersion` of the node that answered. */
  clientVersion: string;
  capabilities: Capabilities;
}

export interface Head extends BlockHeader {
  node: NodeName;
}

export interface FetchedBlocks {
  /** The node that all of the blocks came from. */
  node: NodeName;
  /** In the order asked for; null where that node has no such block. Only the first of them when they are heavy. */
  blocks: (FetchedBlock | null)[];
}

/** A block that state is read at; the caller knows both from the same header. */
export interface BlockReference {
  number: number;
  hash: Hex;
}

export interface ContractCall {
  to: Address;
  data: Hex;
}

/** `balanceOf(owner)`, or `balanceOf(owner, id)` of ERC-1155 when `id` is given. */
export interface TokenBalanceQuery {
  token: Address;
  owner: Address;
  id?: bigint;
}

export interface StorageQuery {
  address: Address;
  /** 32-byte key. */
  slot: Hex;
}

/** Null: the contract does not answer that question usably. */
export interface TokenMetadata {
  /** As the symbol: well-formed, trimmed, without control characters, at most 255 characters; may be empty. */
  name: string | null;
  symbol: string | null;
  /** 0 to 255. */
  decimals: number | null;
}

/** Answers the questions at one block. */
export type StateRead<Question, Answer> = (
  questions: readonly Question[],
  block: BlockReference,
  options?: AskOptions,
) => Promise<Answer[]>;

/** What the nodes announce. */
export interface HeadWatch {
  /**
   * The newest head since the last call, also one that is lower or has another hash at the same number. Null when none comes
   * within `timeoutMs`, or on shutdown. Throws what made the watching fail.
   */
  next(timeoutMs: number): Promise<BlockHeader | null>;
  /** Whether `next` would give a head at once. */
  isWaiting(): boolean;
}

/** How one node is doing, for health and metrics. */
export interface NodeStatus {
  node: NodeName;
  /** False from a failure until the node has answered again. */
  usable: boolean;
  /** Code of the last failure while not usable. */
  failure: ChainErrorCode | null;
  /** Limits as adapted to what the node bears. */
  concurrency: number;
  batchSize: number;
}

/**
 * The chain behind one or several nodes. Every call is bounded: so many attempts, each of at most `requestTimeoutMs`,
 * with back-off between them; what it throws is a `ChainError`.
 */
export interface Chain extends StateReader, CreationRunner {
  /** In order of preference. */
  readonly nodes: readonly NodeName[];
  /** For viem's actions; what they throw wraps the node's error (`nodeErrorIn`). Each call has a budget of its own. */
  viem(options?: AskOptions): NodeClient;

  status(): NodeStatus[];
  /** As found by the last `probe` and by what was fetched since. */
  capabilities(): Capabilities;

  request(method: string, params: readonly unknown[], options?: AskOptions): Promise<unknown>;
  /** Answers for a caller of our own: never throws; `eth_sendRawTransaction` is not sent twice. */
  forward(calls: readonly RpcCall[], options?: AskOptions): Promise<ForwardedAnswer[]>;

  /**
   * Asks who the nodes are and what they can do; a node of another chain than the first is left out from then on. Throws
   * `ChainError` of code `other-chain` when they serve another chain than the one wanted.
   */
  probe(options?: ProbeOptions): Promise<ChainProbe>;
  fetchHead(options?: AskOptions): Promise<Head>;
  /** Null when the node has no such block. */
  fetchHeader(numberOrHash: number | Hex, options?: AskOptions): Promise<BlockHeader | null>;
  /**
   * Blocks with transactions, receipts and traces, in few round trips, all from one node. Nothing is checked beyond
   * the shape. `traces` is null for a block that is not traced: no tracer, its state is pruned, or not asked for.
   * Of heavy blocks only as many are given as may be held in memory at once.
   */
  fetchBlocks(numbers: readonly number[], options?: FetchOptions): Promise<FetchedBlocks>;
  /** Watches for new heads until the signal is aborted; node trouble is waited out. */
  watchHeads(options: { pollIntervalMs: number; signal?: AbortSignal }): HeadWatch;

  /** Closes all connections. */
  close(): Promise<void>;
}
