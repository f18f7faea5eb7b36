import type { Chain } from "../chain/chain.ts";
import type { BlockHeader } from "../chain/types.ts";

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
    for await (const header of chain.heads({ pollIntervalMs, signal })) {
      newest = header;
      wake();
    }
  }
  // Node trouble is waited out by `heads` itself; what could still be thrown ends the waiting, and the next question
  // to the node tells.
  listen().catch(() => wake());

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
