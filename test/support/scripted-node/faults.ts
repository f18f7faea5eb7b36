import type { RawBlock, RawReceipt } from "../../../src/chain/types.ts";
import { createRandom } from "../world/random.ts";

/** One call as the node got it. */
export interface IncomingCall {
  method: string;
  params: readonly unknown[];
}

/** The fault. The first four spoil one call of a batch only, the others the whole HTTP answer. */
export type Effect =
  | { kind: "error"; code: number; message: string; data?: unknown }
  /** Another result in place of the right one. */
  | { kind: "lie"; replace: (result: unknown, call: IncomingCall) => unknown }
  /** The call is left out of the answer to a batch. */
  | { kind: "omit" }
  /** The call is answered twice. */
  | { kind: "double" }
  | { kind: "http"; status: number; headers?: Readonly<Record<string, string>>; body?: string }
  /** The first half of the right answer, as if it were all. */
  | { kind: "truncate" }
  /** The right answer, so much later. */
  | { kind: "late"; ms: number }
  /** The connection stays open and nothing comes, until all faults are switched off: then it is cut. */
  | { kind: "stall" }
  /** The connection is cut without an answer. */
  | { kind: "drop" };

export interface Fault {
  effect: Effect;
  /** Default: every method. */
  method?: string;
  when?: (call: IncomingCall) => boolean;
  /** How many calls it befalls. Default: all until it is lifted. */
  times?: number;
  /**
   * The affected share, drawn by chance but the same in every run: of the calls where the effect
   * spoils one call, of the HTTP answers where it spoils the whole of one. Default 1.
   */
  share?: number;
}

const OF_WHOLE_ANSWER: ReadonlySet<Effect["kind"]> = new Set([
  "http",
  "truncate",
  "late",
  "stall",
  "drop",
]);

/** The faults that are switched on. */
export class Faults {
  readonly #faults = new Set<Fault & { left: number }>();
  readonly #random = createRandom(1);
  readonly #whenCleared: (() => void)[] = [];

  /** Switches a fault on; gives the way to switch it off. */
  add(fault: Fault): () => void {
    const one = { ...fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#faults.add(one);
    return () => this.#faults.delete(one);
  }

  clear(): void {
    this.#faults.clear();
    for (const end of this.#whenCleared.splice(0)) end();
  }

  /** Has something done when all faults are switched off. */
  whenCleared(end: () => void): void {
    this.#whenCleared.push(end);
  }

  /** The effects that befall the calls of one HTTP request, in their order; each uses up one of its fault's times. */
  take(calls: readonly IncomingCall[]): (Effect | undefined)[] {
    const wholes = new Map<Fault, boolean>();
    const strikes = (fault: Fault): boolean => {
      if (fault.share === undefined) return true;
      if (!OF_WHOLE_ANSWER.has(fault.effect.kind)) return this.#random.chance(fault.share);
      const drawn = wholes.get(fault) ?? this.#random.chance(fault.share);
      wholes.set(fault, drawn);
      return drawn;
    };
    return calls.map((call) => this.#effectOn(call, strikes));
  }

  #effectOn(call: IncomingCall, strikes: (fault: Fault) => boolean): Effect | undefined {
    for (const fault of this.#faults) {
      if (fault.method !== undefined && fault.method !== call.method) continue;
      if (fault.when && !fault.when(call)) continue;
      if (!strikes(fault)) continue;
      fault.left--;
      if (fault.left <= 0) this.#faults.delete(fault);
      return fault.effect;
    }
    return undefined;
  }
}

// Ready-made effects.

export function rpcError(code: number, message: string, data?: unknown): Effect {
  return { kind: "error", code, message, ...(data === undefined ? {} : { data }) };
}

export function methodMissing(): Effect {
  return rpcError(-32601, "the method does not exist/is not available");
}

/** HTTP 429. */
export function rateLimited(retryAfterSeconds?: number): Effect {
  const headers =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return { kind: "http", status: 429, headers, body: "slow down" };
}

/** HTTP 200 with the page of a gateway. */
export function html(status = 200): Effect {
  const headers = { "content-type": "text/html" };
  return { kind: "http", status, headers, body: "<html><body>Bad gateway</body></html>" };
}

export function lie(replace: (result: unknown, call: IncomingCall) => unknown): Effect {
  return { kind: "lie", replace };
}

/** A lie about a block that its next two answers do not both repeat: an answer repeated three times is accepted. */
function lieTwiceAtMost(replace: (block: object) => object): Effect {
  const told = new Map<unknown, number>();
  return lie((block, { params: [number] }) => {
    const times = told.get(number) ?? 0;
    if (typeof block !== "object" || block === null || times === 2) return block;
    told.set(number, times + 1);
    return replace(block);
  });
}

/** Null, as a node behind says of a block that it does not have yet. */
export function nothing(): Effect {
  return lie(() => null);
}

/** No receipts or traces for a block that has transactions. */
export function emptyList(): Effect {
  return lie(() => []);
}

/** Another list in place of the right one; other values stay unchanged. */
function lieOfList<Item>(replace: (items: readonly Item[]) => unknown): Effect {
  return lie((result) => (Array.isArray(result) ? replace(result as Item[]) : result));
}

/** For `eth_getBlockReceipts`: the receipts name another block. */
export function receiptsOfOtherBlock(blockHash: string): Effect {
  return lieOfList<RawReceipt>((receipts) =>
    receipts.map((receipt) => ({ ...receipt, blockHash })),
  );
}

/** For `eth_getBlockReceipts`, `debug_traceBlock…` and `trace_block`: the last one is missing. */
export function lastMissing(): Effect {
  return lieOfList((items) => items.slice(0, -1));
}

/** For `eth_getBlockReceipts`: the logs of each receipt in reverse order. */
export function logsOutOfOrder(): Effect {
  return lieOfList<RawReceipt>((receipts) =>
    receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.toReversed() })),
  );
}

/** For `eth_getBlockByNumber`: other fields of the block. */
export function blockWith(fields: Partial<RawBlock>): Effect {
  return lie((result) => result && { ...(result as RawBlock), ...fields });
}

/** The share of answers that a flaky node spoils. */
const FLAKY_SHARE = 0.1;

/** A flaky node's faults of a tenth of its answers, by kind; `lateMs` is longer than its client waits. */
export function flakiness(lateMs: number): Record<"wrong" | "late" | "limited" | "cut", Fault[]> {
  const each = (...faults: Fault[]): Fault[] =>
    faults.map((fault) => ({ ...fault, share: FLAKY_SHARE / (fault.method ? 1 : faults.length) }));
  return {
    wrong: each(
      {
        method: "eth_getBlockByNumber",
        effect: lieTwiceAtMost((block) => ({ ...block, gasUsed: "0x1" })),
      },
      { method: "eth_getBlockReceipts", effect: lastMissing() },
      { method: "debug_traceBlockByHash", effect: lastMissing() },
      { method: "eth_call", effect: rpcError(-32_603, "Internal error") },
      { method: "eth_getBalance", effect: lie(() => "many") },
    ),
    late: each({ effect: { kind: "late", ms: lateMs } }),
    limited: each(
      { effect: rateLimited() },
      { effect: rpcError(-32_007, "50/second request limit reached") },
    ),
    cut: each({ effect: { kind: "truncate" } }, { effect: { kind: "drop" } }),
  };
}
