import type { PageRange } from "../../../store/lists/large-pages.ts";

/** Returns the range to read for `mergePage`, when `unsure` entries are excluded from the list and return at other positions. */
export function windowAround(page: PageRange, unsure: number): PageRange {
  const before = Math.min(page.skip, unsure);
  return { ...page, skip: page.skip - before, limit: page.limit + before };
}

/** Merges the `settled` rows of `windowAround` with all `fresh` entries into the page. `compare` is the order, never 0. */
export function mergePage<Entry>(
  settled: readonly Entry[],
  fresh: readonly Entry[],
  compare: (a: Entry, b: Entry) => number,
  page: PageRange,
  window: PageRange,
): Entry[] {
  // There are at most as many fresh entries as unsure ones, so those before the window are before the page here, too.
  const skip = page.skip - window.skip;
  return [...settled, ...fresh].sort(compare).slice(skip, skip + page.limit);
}
