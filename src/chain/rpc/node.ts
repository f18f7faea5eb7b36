import type { Release } from "../../core/admission.ts";
import { within } from "../../core/async.ts";
import type { CleanError } from "../errors/error-objects.ts";
import { NodeError } from "../errors/errors.ts";
import { errorIn, type Outcome, pick } from "../errors/outcomes.ts";
import type { AskOptions, ChainOptions, NodeName, RpcCall } from "../options.ts";
import type { NodeStatus } from "../questions.ts";
import { Hedging } from "./hedging.ts";
import { createHttpExchange, methodOf } from "./http-exchange.ts";
import { AdaptiveLimit, Gate } from "./limits.ts";
import { type HealthOptions, isSuspicious, NodeHealth } from "./node-health.ts";

/** One node, with adaptive limits. */
export type Node = ReturnType<typeof createNode>;

type CallOptions = Pick<AskOptions, "headWaits" | "caller" | "answerMs">;

type NodeOptions = Pick<
  ChainOptions,
  "requestTimeoutMs" | "batchSize" | "concurrency" | "maxResponseBytes" | "onRequest"
> &
  HealthOptions & {
    cleanError: CleanError;
    /** Called when a caller's request fails as if the node were lost; a request of our own decides that. */
    onSuspicion(): void;
  };

/** Tracing replays a block, so its batches have a separate limit. */
const HEAVY = /^(?:debug|trace)_/;

/** Creates the node behind one URL; sends nothing yet. */
export function createNode(url: URL, name: NodeName, options: NodeOptions) {
  const http = createHttpExchange({ ...options, url, name });
  const health = new NodeHealth(name, options);
  const concurrency = new AdaptiveLimit(options.concurrency);
  const gate = new Gate(concurrency);
  const lookUps = new AdaptiveLimit(options.batchSize);
  const traces = new AdaptiveLimit(options.batchSize);
  const hedging = new Hedging();

  function adapt(
    error: NodeError,
    batchLimit: AdaptiveLimit,
    startedAt: number,
    caller: string | undefined,
  ): void {
    if (error.code === "rate-limited") gate.closeFor(error.retryAfterMs);
    if (isOfCaller(error, caller)) return;
    if (error.code === "rate-limited" || error.code === "timeout") concurrency.shrink(startedAt);
    if (error.code === "timeout" || isTooLarge(error)) batchLimit.shrink(startedAt);
  }

  /**
   * Sends the calls again each time that the answer is late, a trace once: a large one would be made many times at the node. The
   * first answer counts, and only the first request's failure.
   */
  async function sendHedged(calls: readonly RpcCall[], signal: AbortSignal, leave: Release) {
    const startedAt = performance.now();
    const kind = `${methodOf(calls)} ${Math.ceil(Math.log2(calls.length))}`;
    const isHeavy = HEAVY.test(calls[0]?.method ?? "");
    let left = isHeavy ? Number(hedging.knows(kind)) : Number.POSITIVE_INFINITY;
    const stop = new AbortController();
    const giveUp = (): void => stop.abort();
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
    try {
      const first = http.exchange(calls, stop.signal);
      let answered = first;
      for (let ms = hedging.lateAfter(kind); left > 0 && (await isPendingAfter(answered, ms)); ) {
        // It may never be answered: it leaves its place to others.
        leave();
        const release = gate.tryEnter();
        if (!release || !hedging.take()) {
          release?.();
          continue;
        }
        ms *= 2;
        left--;
        leave = release;
        const other = http.exchange(calls, stop.signal).finally(release);
        answered = Promise.race([answered, other.catch(() => first)]);
      }
      const answers = await answered;
      hedging.note(kind, performance.now() - startedAt);
      return answers;
    } finally {
      signal.removeEventListener("abort", giveUp);
      giveUp();
    }
  }

  async function exchange(
    calls: readonly RpcCall[],
    batchLimit: AdaptiveLimit,
    signal: AbortSignal,
    { headWaits, caller, answerMs }: CallOptions,
    leave: Release,
  ): Promise<Outcome[]> {
    const startedAt = performance.now();
    let outcomes: Outcome[];
    let failure: NodeError | undefined;
    try {
      const answers = await (headWaits
        ? sendHedged(calls, signal, leave)
        : http.exchange(calls, signal, answerMs));
      outcomes = answers.map((outcome, index) => {
        const read = calls[index]?.read;
        return read && "result" in outcome ? { result: read(outcome.result) } : outcome;
      });
      failure = firstAboutPace(outcomes);
      health.noteAnswer();
    } catch (thrown) {
      if (!(thrown instanceof NodeError)) throw thrown;
      const error = thrown;
      outcomes = calls.map(() => ({ error }));
      failure = error;
      if (!isOfCaller(error, caller)) health.noteFailure(error);
      else if (isSuspicious(error) || signal.reason?.name === "TimeoutError") options.onSuspicion();
    }
    if (failure) {
      adapt(failure, batchLimit, startedAt, caller);
    } else {
      concurrency.grow(1 / concurrency.value);
      if (calls.length >= batchLimit.value) batchLimit.grow(1);
    }
    options.onRequest?.(methodOf(calls), failure?.code ?? "ok", performance.now() - startedAt);
    return outcomes;
  }

  /** Asks each call once, in batches that halve when too large; one outcome per call. Reads for the head are hedged. */
  async function call(calls: readonly RpcCall[], signal: AbortSignal, options: CallOptions = {}) {
    const outcomes = new Array<Outcome>(calls.length);
    const batchLimit = HEAVY.test(calls[0]?.method ?? "") ? traces : lookUps;
    const waiting = calls.map((_, index) => index);
    const workers = Math.min(concurrency.value, Math.ceil(calls.length / batchLimit.value));
    let largest = calls.length;

    async function sendNext(leave: Release): Promise<void> {
      const indexes = waiting.splice(0, Math.min(batchLimit.value, largest));
      if (indexes.length === 0) return;
      const batch = pick(calls, indexes);
      const answers = await exchange(batch, batchLimit, signal, options, leave);
      for (const [position, index] of indexes.entries()) {
        const outcome = answers[position] as Outcome;
        if (indexes.length > 1 && "error" in outcome && isTooLarge(outcome.error)) {
          waiting.push(index);
          // A siftable answer can be parsed incrementally only as a single call.
          largest = calls[index]?.sift ? 1 : Math.min(largest, indexes.length >> 1);
        } else {
          outcomes[index] = outcome;
        }
      }
    }

    async function work(): Promise<void> {
      while (waiting.length > 0) {
        const leave = await gate.enter(signal, options.caller, workers > 1);
        await sendNext(leave).finally(leave);
      }
    }

    try {
      await Promise.all(Array.from({ length: workers }, work));
    } catch (thrown) {
      if (!(thrown instanceof NodeError)) throw thrown;
      const error = thrown;
      return Array.from(outcomes, (outcome) => outcome ?? { error });
    }
    return outcomes;
  }

  return {
    name,
    call,
    health,
    /** False from a failure until `accept`, and during the node's `Retry-After`. */
    get usable(): boolean {
      return health.failure === null && !gate.closed;
    },
    status: (): NodeStatus => ({
      node: name,
      usable: health.failure === null,
      failure: health.failure,
      limited: gate.closed,
      concurrency: concurrency.value,
      batchSize: lookUps.value,
    }),
    close: http.close,
  };
}

/** Returns whether a caller's question may have caused the failure: then it does not count against the node. */
function isOfCaller({ code }: NodeError, caller: string | undefined): boolean {
  return caller !== undefined && code !== "unreachable";
}

async function isPendingAfter(work: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = Promise.allSettled([work]).then(() => false);
  return within(ms, settled, () => new Error("it is pending")).catch(() => true);
}

/** Returns the first error about the pace or the size of the question. */
function firstAboutPace(outcomes: readonly Outcome[]): NodeError | undefined {
  return outcomes
    .map(errorIn)
    .find((error) => error && (error.code === "rate-limited" || isTooLarge(error)));
}

function isTooLarge({ code }: NodeError): boolean {
  return code === "batch-too-large" || code === "response-too-large";
}
