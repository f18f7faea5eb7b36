import { asUnanswered } from "../../core/errors.ts";
import { getUnreadFees, writeEarlierFees } from "../../store/lists/l1-fees.ts";
import { writeAs } from "../../store/writer/writer.ts";
import type { Sync } from "../context.ts";
import { decodeBlocks } from "../decode/block.ts";
import { fetchValidBlocks } from "../fetch.ts";

const BLOCKS_AT_ONCE = 16;
/** Time limit: a head must not wait long for older blocks. */
const PATIENCE_MS = 3_000;
const RETRY_MS = 10_000;

/** Creates the function that reads L1 fees of earlier blocks again, newest first, one step a call. */
export function createEarlierFees(): (sync: Sync) => Promise<"read" | "none"> {
  let count = BLOCKS_AT_ONCE;
  let retryAt = 0;
  return async (sync) => {
    const { writer, options } = sync;
    if (performance.now() < retryAt) return "none";
    const unread = await getUnreadFees(writer.sql);
    options.status.l1Fees = unread && { unread: unread.to - unread.from + 1 };
    if (!unread) return "none";
    const from = Math.max(unread.from, unread.to - count + 1);
    const rows = await fetchValidBlocks(sync, {
      ...{ from, to: unread.to, traced: false, proof: "none" },
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]),
      make: async (blocks) => decodeBlocks(blocks),
    }).catch(asUnanswered);
    const isWhole = rows?.blocks.length === unread.to - from + 1;
    if (rows && isWhole) {
      count = Math.min(BLOCKS_AT_ONCE, count * 2);
      let isWritten = false;
      await writeAs(writer, async (transaction) => {
        isWritten = await writeEarlierFees(transaction, from, rows);
      });
      if (isWritten) return "read";
    } else if (count > 1) {
      count >>= 1;
      return "none";
    }
    retryAt = performance.now() + RETRY_MS;
    return "none";
  };
}
