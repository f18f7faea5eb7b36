import { ChainError } from "../core/errors.ts";

/**
 * Why a call failed, and whether the same call to the same node may succeed later. `elsewhere`: it may succeed at
 * another node even though it never will at this one.
 */
const KINDS = {
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
  "method-missing": { retryable: false, elsewhere: true },
  "invalid-request": { retryable: false, elsewhere: false },
  /** The EVM ended with an error: revert, out of gas, invalid opcode. */
  reverted: { retryable: false, elsewhere: false },
  /** Pruned, or not an archive node. */
  "state-unavailable": { retryable: false, elsewhere: true },
  "block-unknown": { retryable: true, elsewhere: true },
  /** The block is no longer part of the chain. */
  "block-replaced": { retryable: false, elsewhere: true },
  /** The head kept moving while a node that cannot stand it was read. */
  "head-moved": { retryable: true, elsewhere: true },
  "other-chain": { retryable: false, elsewhere: true },
  /** Too many requests wait for a place already. */
  busy: { retryable: true, elsewhere: true },
  aborted: { retryable: false, elsewhere: false },
  /** Any other error that the node answered. */
  "node-error": { retryable: true, elsewhere: true },
} as const;

/** The `code` of every `ChainError`. */
export type ChainErrorCode = keyof typeof KINDS;

/** A JSON-RPC error object as the node sent it. */
export interface RpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** The error of all that talks to nodes. */
export class NodeError extends ChainError {
  declare readonly code: ChainErrorCode;
  /** The same call may succeed at another node. */
  readonly elsewhere: boolean;
  /** How long the node asked to be left alone; 0 when it did not. */
  readonly retryAfterMs: number;
  /** What the node answered, when it answered an error. */
  readonly answer: RpcErrorObject | undefined;

  constructor(
    code: ChainErrorCode,
    message: string,
    details: ErrorOptions & { retryAfterMs?: number; answer?: RpcErrorObject } = {},
  ) {
    super(code, message, { ...details, retryable: KINDS[code].retryable });
    this.elsewhere = KINDS[code].elsewhere;
    this.retryAfterMs = details.retryAfterMs ?? 0;
    this.answer = details.answer;
  }
}

// Codes with one meaning wherever they occur: JSON-RPC 2.0, EIP-1474, EIP-4444, jsonrpsee (reth), Nethermind.
const BY_NUMBER: Readonly<Record<number, ChainErrorCode>> = {
  3: "reverted",
  429: "rate-limited",
  4444: "state-unavailable",
  [-32601]: "method-missing",
  [-32004]: "method-missing",
  [-32006]: "invalid-request",
  [-32007]: "batch-too-large",
  [-32008]: "response-too-large",
  [-32009]: "rate-limited",
  [-32010]: "batch-too-large",
  [-32011]: "response-too-large",
  [-32015]: "reverted",
  [-32700]: "invalid-request",
  [-39001]: "block-unknown",
};

// Nodes use -32000, -32603 and others for anything, so for those only the text is left. The first that fits counts;
// reverts stand first because their text can hold words of a contract's choice.
const BY_TEXT: readonly (readonly [RegExp, ChainErrorCode])[] = [
  [/revert|execution aborted|out ?of ?gas|invalid ?(?:opcode|jump)|FEOpcode/i, "reverted"],
  [/EVM error|VM Exception|stack (?:under|over)flow|stack limit|write protection/i, "reverted"],
  [/bad (?:instruction|jump)|gas required exceeds/i, "reverted"],
  [/missing trie node|historical state|no state|state unavailable|pruned/i, "state-unavailable"],
  [/state (?:is|histories|at|of) .*(?:available|indexed|found)/i, "state-unavailable"],
  [/not currently canonical/i, "block-replaced"],
  [/(?:unknown|find|no such) block|block .*not found|BlockOutOfRange/i, "block-unknown"],
  [/header (?:for hash )?not found|invalid block tag/i, "block-unknown"],
  [/response .*(?:too (?:large|big)|exceed)|exceed.* response/i, "response-too-large"],
  [/batch/i, "batch-too-large"],
  [/method .*(?:not|unsupported|disabled)|unsupported .*method|not whitelisted/i, "method-missing"],
  [/rate limit|too many requests|throttl|quota|capacity/i, "rate-limited"],
  [/time[sd]? ?out|deadline exceeded/i, "timeout"],
];

// What remains of the ambiguous codes.
const BY_NUMBER_ELSE: Readonly<Record<number, ChainErrorCode>> = {
  [-32001]: "block-unknown",
  [-32005]: "rate-limited",
  [-32016]: "rate-limited",
  [-32600]: "invalid-request",
  [-32602]: "invalid-request",
};

const LONGEST_QUOTE = 200;

/** anvil says the same of a block above its head and of one below it whose state is gone, but names both numbers. */
const OUT_OF_RANGE = /BlockOutOfRangeError: block height is (\d+) but requested was (\d+)/;

function isOldState(message: string): boolean {
  const [, height, requested] = OUT_OF_RANGE.exec(message) ?? [];
  return Number(requested) <= Number(height);
}

function codeOfAnswer({ code, message }: RpcErrorObject): ChainErrorCode {
  const byText = BY_TEXT.find(([pattern]) => pattern.test(message))?.[1];
  return (
    BY_NUMBER[code] ??
    (byText === "block-unknown" && isOldState(message) ? "state-unavailable" : byText) ??
    BY_NUMBER_ELSE[code] ??
    "node-error"
  );
}

/** Error of an error object that the node answered to one call. `subject` names node and method. */
export function errorOfAnswer(subject: string, answer: RpcErrorObject): NodeError {
  const quote = answer.message.slice(0, LONGEST_QUOTE);
  return new NodeError(codeOfAnswer(answer), `${subject}: ${quote} (${answer.code})`, { answer });
}

/**
 * Error of one error object that the node answered to a whole batch of several calls. Whatever a node has against a
 * batch that it did not even unfold, a smaller one is the cure, unless it only wants to be left alone.
 */
export function errorOfRefusedBatch(subject: string, answer: RpcErrorObject): NodeError {
  const code = codeOfAnswer(answer);
  const quote = answer.message.slice(0, LONGEST_QUOTE);
  return new NodeError(
    code === "rate-limited" || code === "timeout" ? code : "batch-too-large",
    `${subject}: ${quote} (${answer.code})`,
    { answer },
  );
}

const LONGEST_RETRY_AFTER_MS = 30_000;

/** Milliseconds of a `Retry-After` header (RFC 9110: seconds or a date), at most 30 s; 0 without one. */
export function parseRetryAfter(header: string | undefined): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** Error of an HTTP status other than 2xx, undefined when the status alone decides nothing and the body may be used. */
export function errorOfStatus(
  subject: string,
  status: number,
  retryAfter: string | undefined,
): NodeError | undefined {
  const message = `${subject}: HTTP ${status}`;
  switch (status) {
    case 401:
    case 403:
      return new NodeError("unauthorized", message);
    case 413:
      return new NodeError("batch-too-large", message);
    case 408:
    case 504:
      return new NodeError("timeout", message);
    case 429:
      return new NodeError("rate-limited", message, { retryAfterMs: parseRetryAfter(retryAfter) });
    case 502:
    case 503:
      return new NodeError("unavailable", message, { retryAfterMs: parseRetryAfter(retryAfter) });
    default:
      return undefined;
  }
}

/** Error of something that undici or zlib threw. Their messages name hosts at most, never a path or a password. */
export function errorOfTransport(subject: string, thrown: unknown): NodeError {
  const { code, message } = thrown as NodeJS.ErrnoException;
  switch (code) {
    case "UND_ERR_RES_EXCEEDED_MAX_SIZE":
    case "ERR_BUFFER_TOO_LARGE":
      return new NodeError("response-too-large", `${subject}: the answer exceeds the limit`);
    case "UND_ERR_CONNECT_TIMEOUT":
      return new NodeError("unreachable", `${subject}: no connection in time`);
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return new NodeError("unreachable", `${subject}: ${code}`);
    case "Z_BUF_ERROR":
    case "Z_DATA_ERROR":
      return new NodeError("bad-answer", `${subject}: the answer is not what its encoding says`);
    default:
      return new NodeError("unavailable", `${subject}: ${code ?? message}`);
  }
}
