import type { BaseLogger } from "pino";
import type { ChainErrorCode } from "./errors/codes.ts";
import type { Retry } from "./retry.ts";
import type { Sift } from "./rpc/large-answer.ts";

/** Name of a node in logs, metrics and options, `node 1` for the first URL: it reveals nothing of the URL. */
export type NodeName = string;

export interface ChainOptions {
  /** HTTP URLs of the nodes in order of preference, at least one. User and password of a URL are sent as Basic. */
  urls: readonly string[];
  /** Source of new heads; without it they are polled. */
  webSocketUrl?: string;
  /** Time limit of one HTTP request, up to the last byte of the answer. */
  requestTimeoutMs: number;
  batchSize: number;
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

/** Time limit of a caller's question, including its wait in the queue. */
export const CALLER_TIMEOUT_MS = 5000;

/** Routing and limits of a question. Without `node` the nodes are tried in order of preference. */
export interface AskOptions {
  node?: NodeName;
  /** Another node, if there is one. */
  avoid?: NodeName;
  signal?: AbortSignal | undefined;
  /** The retry budget of the whole task; without it the question has its own. */
  retry?: Retry;
  /** The head waits for these reads: they are hedged when the answer is late. */
  headWaits?: boolean;
  /** Reports an unknown block or a moving head at once, so that the caller checks for a reorg. */
  reportReorgs?: boolean;
  /** The API's client. Its questions wait in its own share, end after `CALLER_TIMEOUT_MS`, and do not count against the node. */
  caller?: string;
  /** Time limit of one request; the node is not asked again after it. */
  answerMs?: number;
}

export interface ProbeOptions extends AskOptions {
  /** The only chain wanted: nodes of other chains are skipped. */
  chainId?: number;
}

export interface FetchOptions extends AskOptions {
  /** False: without traces, for a block that the tracer repeatedly fails on. */
  traces?: boolean;
}

export interface RpcCall {
  method: string;
  params: readonly unknown[];
  /** Reduces the result as soon as it arrives. */
  read?: (result: unknown) => unknown;
  /** Parses an answer too large for memory, and drops unneeded parts. */
  sift?: () => Sift;
}
