import { sleep } from "../../core/async.ts";
import { messageOf } from "../../core/errors.ts";
import { buildIndex, listIndexBuilds } from "../../store/writer/index-builds.ts";
import type { Sync } from "../context.ts";

const RETRY_MS = 10_000;

/** Replaces redefined indexes one by one while the chain is served; retries. Resolves when all are built or soon after an abort. */
export async function replaceIndexes({ writer, options }: Sync, signal: AbortSignal) {
  const { log, status } = options;
  let built = 0;
  while (!signal.aborted) {
    try {
      const builds = await listIndexBuilds(writer.sql);
      const [next] = builds;
      if (!next) break;
      const total = built + builds.length;
      status.replacedIndexes = { built, total };
      log.info(
        `replacing index ${next.name} (${built + 1} of ${total}); the chain is served meanwhile`,
      );
      await buildIndex(writer, next, signal);
      built++;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error }, `an index was not replaced, trying again: ${messageOf(error)}`);
      await sleep(RETRY_MS, signal);
    }
  }
  if (built > 0 && !signal.aborted) log.info("all indexes are replaced");
  status.replacedIndexes = null;
}
