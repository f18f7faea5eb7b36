import { sleep } from "../core/async.ts";
import type { ChainOptions } from "./chain.ts";
import { NodeError } from "./errors.ts";
import type { BlockHeader } from "./types.ts";

export interface HeadsOptions {
  pollIntervalMs: number;
  signal: AbortSignal;
  webSocketUrl: string | undefined;
  log: ChainOptions["log"];
  fetchHead(): Promise<BlockHeader>;
}

/**
 * See `Chain.heads`. A subscription announces heads at once. It announces nothing when a development chain is reverted, or
 * while it is down, so the head is also polled whenever nothing came for `pollIntervalMs`.
 */
export async function* heads(options: HeadsOptions): AsyncGenerator<BlockHeader, void, undefined> {
  const { pollIntervalMs, signal, webSocketUrl, log } = options;
  let announced: BlockHeader | undefined;
  let wake = new AbortController();
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  stopped.addEventListener("abort", () => wake.abort(), { once: true });
  if (webSocketUrl !== undefined) {
    // It brings all of undici, which chains without it do not need.
    const { subscribeToHeads } = await import("./head-subscription.ts");
    subscribeToHeads(webSocketUrl, { log, signal: stopped }, (header) => {
      announced = header;
      wake.abort();
    });
  }

  /** The announced head, else the polled one; undefined when no node tells it. */
  async function next(waitMs: number): Promise<BlockHeader | undefined> {
    if (!announced && !stopped.aborted) {
      if (wake.signal.aborted) wake = new AbortController();
      await sleep(waitMs, wake.signal);
    }
    if (stopped.aborted) return undefined;
    const header = announced;
    announced = undefined;
    if (header) return header;
    try {
      return await options.fetchHead();
    } catch (thrown) {
      if (!(thrown instanceof NodeError)) throw thrown;
      // The node's loss was logged where it was asked; the next poll comes.
      return undefined;
    }
  }

  try {
    let last: string | undefined;
    let waitMs = 0;
    while (!stopped.aborted) {
      const header = await next(waitMs);
      const lookedAt = performance.now();
      if (header && header.hash !== last) {
        last = header.hash;
        yield header;
      }
      waitMs = Math.max(0, lookedAt + pollIntervalMs - performance.now());
    }
  } finally {
    stop.abort();
  }
}
