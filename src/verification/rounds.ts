import type { Logger } from "pino";
import { sleep } from "../core/async.ts";
import { ChainError, messageOf } from "../core/errors.ts";

/** Runs a task at intervals until aborted. Logs its failures, other than a node's: the next round tries again. */
export async function repeat(
  task: () => Promise<unknown>,
  pauseMs: number,
  [log, failed]: [log: Pick<Logger, "warn">, failed: string],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await task();
    } catch (error) {
      if (!(error instanceof ChainError)) log.warn({ error: messageOf(error) }, failed);
    }
    await sleep(pauseMs, signal);
  }
}
