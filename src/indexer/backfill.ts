import { Admission } from "../core/admission.ts";
import { type BlockRange, encodeChainRows } from "../store/writer/chain.ts";
import { timeStage } from "../telemetry/metrics.ts";
import type { Sync } from "./context.ts";
import { decodeBlocks } from "./decode/block.ts";
import { fetchValidBlocks, lacksBlock } from "./fetch.ts";
import { record } from "./publish.ts";

/** Blocks of the first fetch. Later fetches adapt to keep a range's rows near `RANGE_BYTES`. */
const RANGE_BLOCKS = 20;
const RANGE_BLOCKS_MAXIMUM = 200;
const RANGE_BYTES = 2 * 1024 * 1024;
/** Ranges fetched at once, and ranges recorded at once; both bound the memory. */
const FETCHES = 3;
const RECORDS = 2;

/** Connections over which the tables of a range are recorded. */
const LANES = 4;

/**
 * Records finalised blocks concurrently. `onRecorded` gets the number up to which all blocks are recorded, in order, one call at a time,
 * while recording continues. Rejects once all have ended; blocks above the last `onRecorded` are incomplete.
 */
export async function backfill(
  sync: Sync,
  range: BlockRange,
  onRecorded: (blockNumber: number) => Promise<void>,
): Promise<void> {
  const { writer, recordedTables } = sync;
  const { signal } = sync.options;
  let next = range.from;
  let rangeBlocks = RANGE_BLOCKS;
  const recorded = new Map<number, number>();
  let recordedTo = range.from - 1;
  const records = new Admission({ capacity: () => RECORDS, refuse: () => new Error("unbounded") });
  let advancing = Promise.resolve();
  let failed = false;

  // A separate function, so that the fetched blocks, several times larger, are garbage while their rows are written.
  async function fetchEncoded(from: number, to: number) {
    const { metrics } = writer;
    const fetched = await fetchValidBlocks(sync, {
      from,
      to,
      proof: "sample",
      make: async (blocks, leftOut) => {
        const count = blocks.length + leftOut.length;
        if (count === 0) throw lacksBlock(from);
        return timeStage(metrics, "decode", async () => ({
          encoded: encodeChainRows(decodeBlocks(blocks, leftOut), recordedTables),
          count,
        }));
      },
    });
    const { count, encoded } = fetched;
    const bytes = [...encoded.values()].reduce((sum, { document }) => sum + document.length, 0);
    const fitting = Math.floor((count * RANGE_BYTES) / bytes);
    rangeBlocks = Math.max(1, Math.min(RANGE_BLOCKS_MAXIMUM, fitting, count * 2));
    return fetched;
  }

  /** Needs several fetches when the blocks are heavier than earlier ones. */
  async function fetchAndRecord(from: number, to: number): Promise<void> {
    for (let first = from; first <= to && !failed && !signal.aborted; ) {
      const { encoded, count } = await fetchEncoded(first, Math.min(to, first + rangeBlocks - 1));
      const release = await records.enter();
      await record(writer, { from: first, to: first + count - 1 }, encoded, LANES).finally(release);
      recorded.set(first, first + count - 1);
      advancing = advancing.then(advance);
      advancing.catch(fail);
      first += count;
    }
  }

  async function advance(): Promise<void> {
    const before = recordedTo;
    for (
      let to = recorded.get(recordedTo + 1);
      to !== undefined;
      to = recorded.get(recordedTo + 1)
    ) {
      recorded.delete(recordedTo + 1);
      recordedTo = to;
    }
    if (recordedTo > before) await onRecorded(recordedTo);
  }

  async function work(): Promise<void> {
    try {
      while (next <= range.to && !failed && !signal.aborted) {
        const from = next;
        const to = Math.min(range.to, from + rangeBlocks - 1);
        next = to + 1;
        await fetchAndRecord(from, to);
      }
    } catch (error) {
      fail();
      throw error;
    }
  }

  function fail(): void {
    failed = true;
  }

  const outcomes = await Promise.allSettled(Array.from({ length: FETCHES + RECORDS }, work));
  const [advanced] = await Promise.allSettled([advancing]);
  const failure = [...outcomes, advanced].find((outcome) => outcome.status === "rejected");
  if (failure) throw failure.reason;
}
