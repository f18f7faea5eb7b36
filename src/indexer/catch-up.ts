import { mapLimit } from "../core/async.ts";
import { ChainError } from "../core/errors.ts";
import { getBlockReference } from "../store/blocks/blocks.ts";
import { listSigns } from "../store/state/tokens/signs.ts";
import { getIndexState, updateIndexState } from "../store/sync-state.ts";
import { deleteChainRowsAbove, findGap, findLastBlock } from "../store/writer/chain.ts";
import { chainTables } from "../store/writer/chain-tables.ts";
import {
  analyzeTables,
  analyzeUnknownTables,
  buildDeferredIndex,
  deferIndexes,
  listDeferredIndexes,
} from "../store/writer/deferred-indexes.ts";
import { writeAs } from "../store/writer/writer.ts";
import { backfill } from "./backfill.ts";
import { requireStartBlock } from "./binding.ts";
import { loadHead, publishedNumber, type Sync } from "./context.ts";
import { publish, requireRecorded, type Writer } from "./publish.ts";
import { tablesOf } from "./state/family.ts";

/** Blocks of a first load above which its secondary indexes are built after it. */
const DEFERRED_INDEX_MINIMUM = 1_000;
const PUBLISH_INTERVAL_MS = 2_000;
/** Blocks applied to the state in one transaction. */
const PUBLISH_BLOCKS = 2_000;
const INDEXES_AT_ONCE = 2;

/** Records and publishes the finalised blocks above `recordedNumber`. The published head must be on the node's chain. */
export async function catchUp(sync: Sync, recordedNumber: number, target: number): Promise<void> {
  const { writer, options } = sync;
  const { sql } = writer;
  const isEmpty = recordedNumber < sync.identity.startBlock;
  if (isEmpty && target - recordedNumber > DEFERRED_INDEX_MINIMUM) {
    options.log.info("first load: secondary indexes are built after it");
    await writeAs(writer, (transaction) => deferIndexes(transaction, tablesOf(writer.families)));
  }
  if (target > recordedNumber) await recordTo(sync, recordedNumber, target);
  if (options.signal.aborted) return;
  const state = await getIndexState(sql);
  const recorded = state?.recordedNumber ?? publishedNumber(sync);
  await publishTo(sync, recorded);
  // The chain left out the numbers above: they are recorded again with the next block.
  if (publishedNumber(sync) < recorded) {
    await writeAs(writer, (transaction) =>
      deleteChainRowsAbove(transaction, publishedNumber(sync)),
    );
    await noteRecorded(writer, null);
  }
  options.status.backfill = null;
  if (state?.indexed === false) await buildIndexes(sync);
  await analyzeUnknownTables(sql, tablesOfChain(sync));
}

/** Returns all tables that the indexer fills. */
export function tablesOfChain({ writer, recordedTables }: Sync): string[] {
  const recorded = recordedTables.map((name) => chainTables[name].name);
  return [...recorded, ...tablesOf(writer.families)];
}

async function recordTo(sync: Sync, recordedNumber: number, target: number): Promise<void> {
  const { writer, options } = sync;
  const range = { from: recordedNumber + 1, to: target };
  const started = performance.now();
  let noted = started;
  let recorded = recordedNumber;
  options.status.phase = "backfilling";
  await backfill(sync, range, async (number) => {
    recorded = number;
    const now = performance.now();
    const blocksPerSecond = ((number - recordedNumber) * 1_000) / (now - started);
    const secondsLeft = (target - number) / blocksPerSecond;
    options.status.backfill = { ...range, recorded: number, blocksPerSecond, secondsLeft };
    if (number < target && now - noted < PUBLISH_INTERVAL_MS) return;
    noted = now;
    await noteRecorded(writer, number);
    await publishTo(sync, number);
  }).catch(async (error: unknown) => {
    // The blocks before the failure are published first.
    if (error instanceof ChainError && recorded > publishedNumber(sync)) {
      await noteRecorded(writer, recorded);
      await publishTo(sync, recorded);
    }
    throw error;
  });
}

function noteRecorded(writer: Writer, number: number | null) {
  return updateIndexState(writer, { recorded_number: number });
}

/** Publishes recorded blocks up to a number, after checking that none is missing and that they continue the head. */
async function publishTo(sync: Sync, number: number): Promise<void> {
  const { writer } = sync;
  await requireRecorded(writer, { from: publishedNumber(sync) + 1, to: number }).catch(
    async (error: unknown) => {
      await noteRecorded(writer, null);
      throw error;
    },
  );
  while (publishedNumber(sync) < number) {
    const from = publishedNumber(sync) + 1;
    const to = await findLastBlock(writer.sql, { from, to: number }, PUBLISH_BLOCKS);
    if (to === undefined) return;
    const range = { from, to };
    const gap = await findGap(writer.sql, range, sync.head?.hash ?? null);
    if (gap !== null) {
      await noteRecorded(writer, null);
      throw new ChainError(
        "inconsistent-chain",
        `the recorded blocks do not form a chain:  ${gap}`,
      );
    }
    const first = sync.head ? undefined : await getBlockReference(writer.sql, from);
    if (first) requireStartBlock(sync.identity, first.hash);
    await publish(writer, { ...range, signs: await listSigns(writer.sql, range) }, null);
    await loadHead(sync);
  }
}

/** Builds the indexes deferred by the first load, and updates the planner's statistics. */
export async function buildIndexes(sync: Sync): Promise<void> {
  const { writer, options } = sync;
  const names = await listDeferredIndexes(writer.sql);
  const progress = { built: 0, total: names.length };
  options.status.phase = "indexing";
  options.status.indexes = progress;
  await mapLimit(names, INDEXES_AT_ONCE, async (name) => {
    if (options.signal.aborted) return;
    await buildDeferredIndex(writer.sql, name);
    progress.built++;
  });
  options.status.indexes = null;
  if (options.signal.aborted) return;
  await analyzeTables(writer.sql, tablesOfChain(sync));
  await updateIndexState(writer, { indexed: true });
}
