import type { Chain } from "../chain/chain.ts";
import type { BlockHeader } from "../chain/types.ts";
import { sleep } from "../core/async.ts";

/** The newest head that the node announced. */
export interface HeadWatch {
  /** The newest announcement that was not given out yet; null when none comes within `timeoutMs` or on shutdown. */
  next(timeoutMs: number): Promise<BlockHeader | null>;
}

/** Listens to the node's heads until the signal is aborted. */
export function watchHeads(chain: Chain, pollIntervalMs: number, signal: AbortSignal): HeadWatch {
  let newest: BlockHeader | null = null;
  let wake = () => {};

  async function listen(): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const header of chain.heads({ pollIntervalMs, signal })) {
          newest = header;
          wake();
        }
      } catch {
        // Node trouble is waited out by `heads` itself; whatever else is thrown, the next question to the node tells.
        wake();
        await sleep(pollIntervalMs, signal);
      }
    }
  }
  void listen();

  return {
    async next(timeoutMs) {
      if (newest === null && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          signal.addEventListener("abort", wake, { once: true });
        });
        signal.removeEventListener("abort", wake);
        wake = () => {};
      }
      const header = newest;
      newest = null;
      return header;
    },
  };
}
