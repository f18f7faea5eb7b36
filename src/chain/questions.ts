import type { Address } from "../core/evm/address.ts";
import type { Hex } from "../core/evm/hex.ts";
import type { ChainErrorCode, RpcErrorObject } from "./errors/codes.ts";
import type { AskOptions, NodeName } from "./options.ts";
import type { BlockHeader, FetchedBlock } from "./types.ts";

/** The node's answer, or why there was none. `error` is the JSON-RPC error object, redacted. */
export type ForwardedAnswer =
  | { result: unknown }
  | { error: RpcErrorObject }
  | { unanswered: Unanswered };

/** `busy`: the caller, or all callers, have too many calls waiting. `late`: stopped after `CALLER_TIMEOUT_MS`. */
export type Unanswered = "unreachable" | "busy" | "late";

export type Tracer =
  | "debug_traceBlockByHash"
  | "debug_traceBlockByNumber"
  | "trace_block"
  | "debug_traceTransaction";

/** Observed capabilities of the nodes. */
export interface Capabilities {
  /** Some node answers `eth_getBlockReceipts`. */
  blockReceipts: boolean;
  /** Null: blocks are fetched without traces, for the reason in `tracerReason`. */
  tracer: Tracer | null;
  tracerReason: string | null;
  /** True if the state of the first blocks can be read; null while unknown. */
  archive: boolean | null;
  /** Some node answers `txpool_content`. */
  txpool: boolean;
  /** False while a node did not answer: the rest is a lower bound, and is probed again. */
  settled: boolean;
}

export interface ChainProbe {
  chainId: number;
  /** `web3_clientVersion` of the node that answered. */
  clientVersion: string;
  capabilities: Capabilities;
}

export interface Head extends BlockHeader {
  node: NodeName;
}

export interface FetchedBlocks {
  /** The node that returned all of the blocks. */
  node: NodeName;
  /** In the order requested; null where the node lacks the block. Only the first of them when they are heavy. */
  blocks: (FetchedBlock | null)[];
  /** Requested numbers of which the node says that the chain has no block, and later ones. */
  leftOut: readonly number[];
}

/** A block to read state at; both fields come from one header. */
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

/** Null: the contract has no usable answer. */
export interface TokenMetadata {
  /** As the symbol: well-formed, trimmed, without control characters, at most 255 characters; may be empty. */
  name: string | null;
  symbol: string | null;
  /** 0 to 255. */
  decimals: number | null;
  /** The standard it claims by ERC-165. */
  claimed: 721 | 1155 | null;
  /** True if it answers `balanceOf(owner)`. */
  byOwner: boolean;
  /** True if it answers `balanceOf(owner, id)`. */
  byId: boolean;
}

/** Answers questions at one block. */
export type StateRead<Question, Answer> = (
  questions: readonly Question[],
  block: BlockReference,
  options?: AskOptions,
) => Promise<Answer[]>;

/** Source of announced heads. */
export interface HeadWatch {
  /** Returns the next newest head, also a lower or replaced one; null after `timeoutMs` or on shutdown. Throws on failure. */
  next(timeoutMs: number): Promise<BlockHeader | null>;
  /** Returns whether `next` would return a head at once. */
  isWaiting(): boolean;
}

/** State of one node, for health and metrics. */
export interface NodeStatus {
  node: NodeName;
  /** False from a failure until the next answer. */
  usable: boolean;
  failure: ChainErrorCode | null;
  /** True if it asked for a pause. */
  limited: boolean;
  /** Limits as adapted to the node. */
  concurrency: number;
  batchSize: number;
}
