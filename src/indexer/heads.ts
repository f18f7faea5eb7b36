import type { Chain } from "../chain/chain.ts";
import type { BlockHeader } from "../chain/types.ts";
import { sleep } from "../core/async.ts";
import { ChainError } from "../core/errors.ts";

/** The newest head that the node announced. */
export interface HeadWatch {
  /**
   * The newest announced head, each given once; null when none comes within `timeoutMs`, or on shutdown. Throws what
   * made the listening fail.
   */
  next(timeoutMs: number): Promise<BlockHeader | null>;
}

/** Listens to the node's heads until the signal is aborted. */
export function watchHeads(chain: Chain, pollIntervalMs: number, signal: AbortSignal): HeadWatch {
  let newest: BlockHeader | null = null;
  let failure: unknown;
  let wake = new AbortController();
  signal.addEventListener("abort", () => wake.abort(), { once: true });

  async function listen(): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const header of chain.heads({ pollIntervalMs, signal })) {
          newest = header;
          wake.abort();
        }
      } catch (error) {
        // The next question to the node tells what is wrong with it.
        if (!(error instanceof ChainError)) failure = error;
        wake.abort();
        await sleep(pollIntervalMs, signal);
      }
    }
  }
  void listen();

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
  };
}
