import type { Hex } from "../core/evm/hex.ts";
import type { AskOptions, FetchOptions, NodeName, ProbeOptions, RpcCall } from "./options.ts";
import type {
  Capabilities,
  ChainProbe,
  FetchedBlocks,
  ForwardedAnswer,
  Head,
  HeadWatch,
  NodeStatus,
} from "./questions.ts";
import type { NodeClient } from "./rpc/node-client.ts";
import type { CreationRunner } from "./state/creations.ts";
import type { StateReader } from "./state/state.ts";
import type { BlockHeader } from "./types.ts";

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
