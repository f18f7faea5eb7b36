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

/** The chain behind one or several nodes. Calls are bounded in attempts and time, and throw `ChainError`. */
export interface Chain extends StateReader, CreationRunner {
  /** In order of preference. */
  readonly nodes: readonly NodeName[];
  /** Returns a client for viem's actions; its errors wrap the node's (`nodeErrorIn`). Each call has its own retry budget. */
  viem(options?: AskOptions): NodeClient;

  status(): NodeStatus[];
  /** Capabilities by the last `probe` and later answers. */
  capabilities(): Capabilities;

  request(method: string, params: readonly unknown[], options?: AskOptions): Promise<unknown>;
  /** Forwards a caller's own calls: never throws; `eth_sendRawTransaction` is not sent twice. */
  forward(calls: readonly RpcCall[], options?: AskOptions): Promise<ForwardedAnswer[]>;

  /** Probes the nodes and leaves out those of another chain. Throws `ChainError` of code `other-chain`. */
  probe(options?: ProbeOptions): Promise<ChainProbe>;
  fetchHead(options?: AskOptions): Promise<Head>;
  /** Returns null when the node lacks the block. */
  fetchHeader(numberOrHash: number | Hex, options?: AskOptions): Promise<BlockHeader | null>;
  /** Fetches blocks from one node, as many as memory allows, checked in shape only; `traces` is null if untraced. */
  fetchBlocks(numbers: readonly number[], options?: FetchOptions): Promise<FetchedBlocks>;
  /** Watches for new heads until the signal is aborted; retries through node failures. */
  watchHeads(options: { pollIntervalMs: number; signal?: AbortSignal }): HeadWatch;

  close(): Promise<void>;
}
