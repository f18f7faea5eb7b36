import type { BaseLogger } from "pino";
import type { ChainErrorCode } from "./errors/codes.ts";
import type { Retry } from "./retry.ts";
import type { Sift } from "./rpc/large-answer.ts";

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
  /** The API's client. Its questions wait in its own share, end after `CALLER_TIMEOUT_MS`, and do not count against the node. */
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
