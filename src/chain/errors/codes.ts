/** Failures: `retryable` may succeed later at the same node, `elsewhere` at another one. */
export const KINDS = {
  unreachable: { retryable: true, elsewhere: true },
  timeout: { retryable: true, elsewhere: true },
  "rate-limited": { retryable: true, elsewhere: true },
  /** HTTP 5xx, or the node says that it cannot now. */
  unavailable: { retryable: true, elsewhere: true },
  unauthorized: { retryable: false, elsewhere: true },
  /** No JSON, no JSON-RPC, or ids that were not asked for. */
  "bad-answer": { retryable: true, elsewhere: true },
  "batch-too-large": { retryable: false, elsewhere: true },
  "response-too-large": { retryable: false, elsewhere: true },
  /** More blocks or logs asked for at once than the node gives. */
  "range-too-wide": { retryable: false, elsewhere: true },
  "method-missing": { retryable: false, elsewhere: true },
  "invalid-request": { retryable: false, elsewhere: false },
  /** The EVM ended with an error that a contract made: revert, invalid opcode. */
  reverted: { retryable: false, elsewhere: false },
  /** A contract used up all the gas that the node lets a call have. */
  "out-of-gas": { retryable: false, elsewhere: false },
  /** Pruned, or not an archive node. */
  "state-unavailable": { retryable: false, elsewhere: true },
  "block-unknown": { retryable: true, elsewhere: true },
  /** The block is no longer part of the chain. */
  "block-replaced": { retryable: false, elsewhere: true },
  /** The head kept moving while a node that cannot stand it was read. */
  "head-moved": { retryable: true, elsewhere: true },
  "other-chain": { retryable: false, elsewhere: true },
  /** Too many requests wait already. */
  busy: { retryable: true, elsewhere: true },
  aborted: { retryable: false, elsewhere: false },
  /** Any other error that the node answered. */
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
