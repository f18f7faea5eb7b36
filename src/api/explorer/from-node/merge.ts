import type { PageRange } from "../../../store/lists/large-pages.ts";

/** The rows to read for `mergePage`, when `unsure` entries are left out of the list and come back at other places. */
export function windowAround({ limit, skip }: PageRange, unsure: number): PageRange {
  const before = Math.min(skip, unsure);
  return { skip: skip - before, limit: limit + before };
}

/** Merges the `settled` rows of `windowAround` with all `fresh` entries into the page. `compare` is the order, never 0. */
export function mergePage<Entry>(
  settled: readonly Entry[],
  fresh: readonly Entry[],
  compare: (a: Entry, b: Entry) => number,
  page: PageRange,
  window: PageRange,
): Entry[] {
  // The fresh entries are no more than the unsure ones, so those that belong before the window stand before the page here, too.
  const skip = page.skip - window.skip;
  return [...settled, ...fresh].sort(compare).slice(skip, skip + page.limit);
}
