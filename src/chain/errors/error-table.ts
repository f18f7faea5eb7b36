import type { ChainErrorCode, RpcErrorObject } from "./codes.ts";

/** A node's failure. The message is empty without a JSON-RPC error object. */
export interface FailedAnswer extends Partial<RpcErrorObject> {
  message: string;
  /** HTTP status of the answer. */
  status: number;
}

/** One row of the table. It matches by code, status and pattern, as far as the row has them. */
export interface ErrorRule {
  means: ChainErrorCode;
  texts?: readonly Pattern[];
  codes?: readonly number[];
  statuses?: readonly number[];
  /** The error carries what the call returned. */
  returned?: true;
}

type Pattern = RegExp | ((message: string) => boolean);

/**
 * Classifies a node's error: the first matching row counts. Patterns come before codes, since codes
 * differ by provider (-32007 is a rate limit of QuickNode, a request too large for jsonrpsee, a
 * sender without rights for Besu). Rows about contracts come first, since the text after them may
 * be the contract's ("execution reverted: rate limit exceeded"). Only `reverted` and `out-of-gas`
 * mean that a contract failed. Each pattern and code has an entry with its source in
 * `test/fixtures/node-errors.json`.
 */
export const ERROR_TABLE: readonly ErrorRule[] = [
  { means: "reverted", codes: [3], returned: true },
  {
    means: "reverted",
    texts: [
      /\bexecution reverted\b/i,
      /^(?:error: )?(?:VM Exception while processing transaction: )?(?:transaction )?revert/i,
      /revert reason: 0x/i,
      /^VM execution error/i,
      /^Transaction processing could not be completed due to an exception/,
    ],
  },
  {
    means: "out-of-gas",
    texts: [/out ?of ?gas/i, /gas required exceeds allowance/i, /gas uint64 overflow/i],
  },
  {
    means: "reverted",
    texts: [
      /invalid ?(?:opcode|jump)/i,
      /bad ?(?:instruction|jump)/i,
      /stack ?(?:under|over)flow/i,
      /stack limit reached|out of stack/i,
      /^write protection$/i,
      /^return data out of bounds$/i,
      /^max call depth exceeded$/i,
      /static ?call ?violation/i,
      /EVM error:? (?:Invalid|OpcodeNotFound|NotActivated|StateChange|OutOfOffset|Precompile)/,
    ],
  },
  // A narrower range would not help.
  { means: "block-unknown", texts: [/range extends beyond current head/i] },
  {
    means: "invalid-request",
    texts: [/invalid block range/i, /exceed max (?:addresses|topics)/i],
  },
  {
    means: "range-too-wide",
    texts: [
      /block range/i,
      /range .*(?:too (?:large|wide)|exceed)/i,
      /max(?:imum)? (?:block )?range/i,
      /(?:exceeds the|ranges? over) .*(?:range|blocks)/i,
      /requested too many blocks/i,
      /(?:number of requested|limit the query to at most .*|to 0 - \d+) blocks/i,
      /blocks distance/i,
      /limited to a? ?[\d,.]+ (?:blocks? )?range/i,
      /query (?:returned more|exceeds max|returns too many)/i,
      /logs matched by query exceeds/i,
      /log response size exceeded/i,
      /query must be smaller than size/i,
      /query requested more than .* blocks/i,
    ],
  },
  {
    means: "batch-too-large",
    texts: [
      /batch (?:item count|size|limit|too large|request was too large)/i,
      /batch of more than/i,
      /batch(?:ed|es)? .*not supported/i,
      /too many .* in batch/i,
      /(?:request|request body) (?:is )?too (?:big|large)/i,
    ],
  },
  {
    means: "response-too-large",
    texts: [/response .*too (?:large|big)/i, /response size .*(?:larger|greater)/i],
  },
  {
    means: "rate-limited",
    texts: [
      /rate[- ]?limit/i,
      /too many requests?/i,
      /requests? limit reached/i,
      /(?:requests|credits) limited to/i,
      /compute units? (?:per second|quota)/i,
      /quota/i,
      /(?:over|monthly) capacity/i,
      /(?:RPS|usage|call) limit/i,
      /requests per second \(RPS\)/i,
      /reached the free tier/i,
      /(?:server is busy|too much load|try again later)/i,
      /payment required/i,
    ],
  },
  {
    means: "timeout",
    texts: [/time[sd]?[ -]?out/i, /deadline exceeded/i],
  },
  { means: "history-expired", texts: [/^pruned history\b/i] },
  {
    means: "state-unavailable",
    texts: [
      isOldState,
      /missing trie node/i,
      /no historical RPC/i,
      /failed to load state\b/i,
      /\bstate (?:is |of |at |histor).*(?:available|pruned|indexed|found)/i,
      /historical state|no state available|world state unavailable|required data unavailable/i,
      /unknown state\b/i,
      /state (?:pruning|already discarded)/i,
      /\bpruned\b|due to pruning/i,
      /state recreation .*limit exceeded/i,
      /archive/i,
      /data before .* is not available/i,
      /layer stale/i,
      /block is too old/i,
    ],
  },
  { means: "block-replaced", texts: [/not (?:currently )?canonical/i] },
  // Filecoin's nodes, of a height without a block.
  { means: "block-left-out", texts: [/requested epoch was a null round/i] },
  {
    means: "block-unknown",
    texts: [
      /unknown block/i,
      /(?:could ?n[o']t find|no such|unsupported) block/i,
      /block .*not found/i,
      /header (?:for hash )?not found/i,
      /\bblock(?: is)? ?out ?of ?range/i,
      /invalid block tag/i,
      /^\d+ could not be found$/i,
      /block .*doesn't exist/i,
      /does not have the requested block/i,
      /unfinalized|after last accepted block/i,
      /height must be less than or equal/i,
    ],
  },
  {
    means: "unavailable",
    texts: [
      /no (?:backends?|nodes?|server) (?:is |are )?(?:currently )?(?:available|healthy)/i,
      /backend (?:offline|is currently not healthy|returned an invalid response|request failed)/i,
      /temporary internal error/i,
      /route your request to suitable provider/i,
      /sync is still in progress|node is (?:syncing|not synced|behind)/i,
      /service (?:temporarily )?unavailable/i,
      /context cancell?(?:ed|ation)/i,
      /FatalExternalError|fork error/i,
    ],
  },
  {
    means: "unauthorized",
    texts: [
      /(?:invalid|missing) (?:api|project) (?:key|id)/i,
      /api key (?:not found|expired)/i,
      /must be authenticated|unauthorized|key is inactive/i,
      /not allowed to access/i,
    ],
  },
  {
    means: "method-missing",
    texts: [
      /\bmethods?\b.*(?:not |unsupported|disabled)/i,
      /unsupported method/i,
      /not available on the free tier/i,
      /not included in your (?:current )?plan/i,
    ],
  },
  { means: "unauthorized", statuses: [401, 403] },
  { means: "rate-limited", statuses: [402, 429] },
  // Cloudflare answers 522 and 524 when its origin does not answer in time.
  { means: "timeout", statuses: [408, 504, 522, 524] },
  { means: "batch-too-large", statuses: [413] },
  { means: "unavailable", statuses: [502, 503] },
  // Codes with one meaning for all texts: JSON-RPC 2.0, EIP-1474, EIP-4444, Besu, Ankr, TheRPC.
  { means: "reverted", codes: [3] },
  { means: "rate-limited", codes: [429, -32_005, -32_029, -32_090] },
  { means: "history-expired", codes: [4444] },
  { means: "block-unknown", codes: [-32_001, -39_001] },
  { means: "method-missing", codes: [-32_004, -32_601, -32_604] },
  { means: "invalid-request", codes: [-32_006, -32_600, -32_602, -32_700] },
  { means: "unavailable", statuses: [500] },
  // Without an error object: the gateway refuses the request itself.
  { means: "invalid-request", texts: [/^$/], statuses: [400] },
];

/** Returns the code of the first matching row; undefined without one. */
export function lookUpError(
  answer: FailedAnswer,
  table: readonly ErrorRule[] = ERROR_TABLE,
): ChainErrorCode | undefined {
  return table.find((rule) => fits(rule, answer))?.means;
}

function fits({ texts, codes, statuses, returned }: ErrorRule, answer: FailedAnswer): boolean {
  if (codes && !codes.includes(answer.code ?? Number.NaN)) return false;
  if (statuses && !statuses.includes(answer.status)) return false;
  if (returned && !/^0x[0-9a-f]+$/i.test(String(answer.data))) return false;
  return !texts || texts.some((pattern) => matches(pattern, answer.message));
}

function matches(pattern: Pattern, message: string): boolean {
  return typeof pattern === "function" ? pattern(message) : pattern.test(message);
}

const OUT_OF_RANGE = /BlockOutOfRangeError: block height is (\d+) but requested was (\d+)/;

/** Returns whether anvil lacks an old state: its message is the same for a block above the head, except for the numbers. */
function isOldState(message: string): boolean {
  const [, height, requested] = OUT_OF_RANGE.exec(message) ?? [];
  return Number(requested) <= Number(height);
}
