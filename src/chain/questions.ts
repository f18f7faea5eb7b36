import type { Address } from "../core/evm/address.ts";
import type { Hex } from "../core/evm/hex.ts";
import type { ChainErrorCode, RpcErrorObject } from "./errors/codes.ts";
import type { AskOptions, NodeName } from "./options.ts";
import type { BlockHeader, FetchedBlock } from "./types.ts";

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
  /** The standard that it claims by ERC-165. */
  claimed: 721 | 1155 | null;
  /** Whether it answers `balanceOf(owner)`. */
  byOwner: boolean;
  /** Whether it answers `balanceOf(owner, id)`. */
  byId: boolean;
}

/** Answers the questions at one block. */
export type StateRead<Question, Answer> = (
  questions: readonly Question[],
  block: BlockReference,
  options?: AskOptions,
) => Promise<Answer[]>;

/** What the nodes announce. */
export interface HeadWatch {
  /** Returns the next newest head, also a lower or replaced one; null after `timeoutMs` or on shutdown. Throws on failure. */
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
