import { sleep } from "../core/async.ts";
import type { ChainError } from "../core/errors.ts";
import { isReorg, type Sync } from "./context.ts";

const FIRST_MS = 100;
const LONGEST_MS = 5_000;
/** A chain that changed while it was read is looked at again at once, so often in a row. */
const REORGS_AT_ONCE = 10;

/** The pauses between two tries at the same work. */
export interface Pauses {
  /** Waits, and says why; each time in a row without progress twice as long. */
  after(error: ChainError): Promise<void>;
}

/** Creates the pauses of one synchronisation; progress is a head that moved. */
export function createPauses(sync: Sync): Pauses {
  const { log, signal, status } = sync.options;
  let tries = 0;
  let reorgs = 0;
  let before: string | undefined;

  return {
    async after(error) {
      const { hash } = sync.head ?? {};
      if (hash !== before) [tries, reorgs] = [0, 0];
      before = hash;
      if (isReorg(error) && reorgs++ < REORGS_AT_ONCE) return;
      const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries++);
      status.phase = "waiting";
      status.reason = error.message;
      log.warn({ code: error.code }, `${error.message}; trying again in ${ms} ms`);
      await sleep(ms, signal);
    },
  };
}
