import { sleep } from "../../core/async.ts";
import { asUnanswered } from "../../core/errors.ts";
import type { ChainOptions } from "../options.ts";
import type { HeadWatch } from "../questions.ts";
import type { BlockHeader } from "../types.ts";

type HeadsOptions = Pick<ChainOptions, "log" | "signal"> & {
  pollIntervalMs: number;
  webSocketUrl: string | undefined;
  fetchHead(): Promise<BlockHeader>;
};

/** See `Chain.watchHeads`. Also polls after `pollIntervalMs` of silence: a subscription misses reverts of development chains. */
export function watchHeads(options: HeadsOptions): HeadWatch {
  const { pollIntervalMs, signal, webSocketUrl } = options;
  let newest: BlockHeader | null = null;
  let last: string | undefined;
  let lastHeadAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  let wake = new AbortController();
  signal.addEventListener("abort", () => wake.abort(), { once: true });
  void listen().catch((error: unknown) => {
    failure = error;
    wake.abort();
  });

  function announce(header: BlockHeader): void {
    lastHeadAt = performance.now();
    if (header.hash === last) return;
    last = header.hash;
    newest = header;
    wake.abort();
  }

  async function listen(): Promise<void> {
    if (webSocketUrl !== undefined) {
      // It loads all of undici, which chains without it do not need.
      const { subscribeToHeads } = await import("./head-subscription.ts");
      subscribeToHeads(webSocketUrl, options, announce);
    }
    while (!signal.aborted) {
      // Timers have whole milliseconds, and would fire too early.
      const restMs = Math.ceil(lastHeadAt + pollIntervalMs - performance.now());
      if (restMs > 0) {
        await sleep(restMs, signal);
        continue;
      }
      const before = lastHeadAt;
      // The pool logged the node's loss.
      const header = await options.fetchHead().catch(asUnanswered);
      // A head announced meanwhile may be newer.
      if (lastHeadAt !== before) continue;
      lastHeadAt = performance.now();
      if (header) announce(header);
    }
  }

  return {
    async next(timeoutMs) {
      if (failure) throw failure;
      if (newest === null && !signal.aborted) {
        if (wake.signal.aborted) wake = new AbortController();
        await sleep(timeoutMs, wake.signal);
      }
      const header = newest;
      newest = null;
      return header;
    },
    isWaiting: () => newest !== null,
  };
}
