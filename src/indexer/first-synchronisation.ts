import { getIndexState, updateIndexState } from "../store/sync-state.ts";
import { publishedNumber, type Sync } from "./context.ts";

/** Returns a function for the head after each step; marks the first synchronisation at the lowest of these heads. */
export function watchFirstSynchronisation(sync: Sync): (nodeHead: number) => Promise<void> {
  const { sql } = sync.writer;
  let goal = Number.POSITIVE_INFINITY;
  let isDone = false;
  return async (nodeHead) => {
    if (isDone) return;
    goal = Math.min(goal, nodeHead);
    if (publishedNumber(sync) < goal) return;
    const { indexed, synchronised } = (await getIndexState(sql)) ?? {};
    if (!indexed) return;
    if (!synchronised) await updateIndexState(sync.writer, { synchronised: true });
    isDone = true;
  };
}
