import { sleep } from "../core/async.ts";
import type { ChainError } from "../core/errors.ts";
import { isReorg, type Sync } from "./context.ts";

const FIRST_MS = 100;
const LONGEST_MS = 5_000;
/** Most immediate retries in a row of a chain that changed during a read. */
const REORGS_AT_ONCE = 10;

/** Creates the pause between attempts, which reports its reason. It doubles until the head moves. */
export function createPauses(sync: Sync): (error: ChainError) => Promise<void> {
  const { log, signal, status } = sync.options;
  let tries = 0;
  let reorgs = 0;
  let before: string | undefined;

  return async (error) => {
    const { hash } = sync.head ?? {};
    if (hash !== before) [tries, reorgs] = [0, 0];
    before = hash;
    if (isReorg(error) && reorgs++ < REORGS_AT_ONCE) return;
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries++);
    status.phase = "waiting";
    status.reason = error.message;
    log.warn({ code: error.code }, `${error.message}; trying again in ${ms} ms`);
    await sleep(ms, signal);
  };
}
