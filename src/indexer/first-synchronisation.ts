import { isIndexed, isSynchronised, markSynchronised } from "../store/sync-state.ts";
import { writeAs } from "../store/writer/writer.ts";
import { publishedNumber, type Sync } from "./context.ts";

/**
 * Returns a function that receives the node's head after each step. It marks the database as
 * complete once the index has reached the lowest of those heads.
 */
export function watchFirstSynchronisation(sync: Sync): (nodeHead: number) => Promise<void> {
  const { sql } = sync.writer;
  let goal = Number.POSITIVE_INFINITY;
  let isDone = false;
  return async (nodeHead) => {
    if (isDone) return;
    goal = Math.min(goal, nodeHead);
    if (publishedNumber(sync) < goal || !(await isIndexed(sql))) return;
    if (!(await isSynchronised(sql))) await writeAs(sync.writer, markSynchronised);
    isDone = true;
  };
}
