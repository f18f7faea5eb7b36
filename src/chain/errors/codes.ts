/** Failures: `retryable` may succeed later at the same node, `elsewhere` at another one. */
export const KINDS = {
  unreachable: { retryable: true, elsewhere: true },
  timeout: { retryable: true, elsewhere: true },
  "rate-limited": { retryable: true, elsewhere: true },
  /** HTTP 5xx, or a node's error that it is unavailable. */
  unavailable: { retryable: true, elsewhere: true },
  unauthorized: { retryable: false, elsewhere: true },
  /** Not JSON, not JSON-RPC, or unrequested ids. */
  "bad-answer": { retryable: true, elsewhere: true },
  "batch-too-large": { retryable: false, elsewhere: true },
  "response-too-large": { retryable: false, elsewhere: true },
  /** The range exceeds the node's limit of blocks or logs. */
  "range-too-wide": { retryable: false, elsewhere: true },
  "method-missing": { retryable: false, elsewhere: true },
  "invalid-request": { retryable: false, elsewhere: false },
  /** The EVM stopped with an error by a contract: revert, invalid opcode. */
  reverted: { retryable: false, elsewhere: false },
  /** A contract used up the node's gas limit of a call. */
  "out-of-gas": { retryable: false, elsewhere: false },
  /** Pruned, or not an archive node. */
  "state-unavailable": { retryable: false, elsewhere: true },
  /** The node no longer keeps blocks so old (EIP-4444). */
  "history-expired": { retryable: false, elsewhere: true },
  "block-unknown": { retryable: true, elsewhere: true },
  /** The chain has no block of this number, and later ones. */
  "block-left-out": { retryable: false, elsewhere: false },
  /** The block is no longer part of the chain. */
  "block-replaced": { retryable: false, elsewhere: true },
  /** The head kept moving during reads of a node that needs a still head. */
  "head-moved": { retryable: true, elsewhere: true },
  "other-chain": { retryable: false, elsewhere: true },
  /** The queue is full. */
  busy: { retryable: true, elsewhere: true },
  aborted: { retryable: false, elsewhere: false },
  /** Any other error of the node. */
  "node-error": { retryable: true, elsewhere: true },
} as const;

/** The `code` of every `ChainError`. */
export type ChainErrorCode = keyof typeof KINDS;

/** An error object of JSON-RPC: a node's, or one of ours in the same form. `data` may be the bytes of a revert. */
export interface RpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}
