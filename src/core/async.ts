import { setTimeout as delay } from "node:timers/promises";

/** Waits `ms` milliseconds, or less when the signal is aborted; never throws. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal ? { signal } : {});
  } catch {
    // Aborted: the caller checks its signal.
  }
}

/** Returns the result of the work; rejects with the error from `late` after `ms`. The work itself continues. */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Error) {
  const { promise: deadline, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `task` over the items, `limit` at a time, in order. Begins none after a failure; rejects once all have ended. */
export async function mapLimit<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const failures: unknown[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await task(items[index] as Item, index);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}

/** Returns slices of at most `size` items, in order. */
export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  const chunks: Item[][] = [];
  for (let start = 0; start < items.length; start += size) {
    chunks.push(items.slice(start, start + size));
  }
  return chunks;
}

/** Memoises `load`, also while it runs; with `ms` for so long. A failure is forgotten. */
export function keepResult<Result>(
  load: () => Promise<Result>,
  ms?: number,
): () => Promise<Result> {
  let kept: Promise<Result> | undefined;
  const forget = (): void => {
    kept = undefined;
  };
  return () => {
    if (kept !== undefined) return kept;
    kept = load();
    kept.then(() => ms !== undefined && setTimeout(forget, ms).unref(), forget);
    return kept;
  };
}

/** A reference count of a resource, which is closed at zero. */
export interface Uses {
  /** Returns a release function. */
  begin(): () => void;
  /** Resolves at zero. */
  over(): Promise<void>;
}

/** Creates a reference count at zero. */
export function createUses(): Uses {
  let count = 0;
  const waiting: (() => void)[] = [];
  return {
    begin: () => {
      count++;
      return () => {
        count--;
        if (count === 0) for (const resolve of waiting.splice(0)) resolve();
      };
    },
    over: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
