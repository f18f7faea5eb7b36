import { setImmediate as nextTurn } from "node:timers/promises";
import { slownessNow } from "./hostile/process-costs.ts";

/**
 * Runs work, and returns the longest time in milliseconds that this thread computed between two
 * turns of its event loop, without answers to others. In processor time, so that other programs do
 * not count, scaled to the machine of docs/measurements/README.md.
 */
export async function longestStall<Result>(
  work: () => Promise<Result>,
): Promise<{ result: Result; stallMs: number }> {
  let isOver = false;
  const longest = watch(() => isOver);
  try {
    const result = await work();
    return { result, stallMs: (await ended()) / slownessNow() };
  } catch (error) {
    await ended();
    throw error;
  }

  function ended(): Promise<number> {
    isOver = true;
    return longest;
  }
}

async function watch(isOver: () => boolean): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  while (!isOver()) {
    await nextTurn();
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1000);
    before = now;
  }
  return longest;
}
