import { ChainError } from "../core/errors.ts";
import type { Sql } from "../db/client.ts";
import { shareConnections } from "../store/cluster/distribution.ts";
import type { SignedRange } from "../store/state/tokens/signs.ts";
import { writeHead } from "../store/sync-state.ts";
import { type BlockRange, type EncodedRows, insertChainRows } from "../store/writer/chain.ts";
import {
  findLostPublishedRows,
  findLostRows,
  finishTransactions,
  forgetRecordedRows,
  identifyServers,
  isCounted,
  listServers,
  noteRecordedRows,
  rowsLost,
  writeCounted,
} from "../store/writer/recorded-rows.ts";
import { type WriterTerm, writeAs } from "../store/writer/writer.ts";
import { type Metrics, timeStage } from "../telemetry/metrics.ts";
import type { StateFamily } from "./state/family.ts";
import { type StateValues, writeState } from "./state/reading.ts";

/** The database writer's resources. */
export interface Writer {
  sql: Sql;
  term: WriterTerm;
  /** True if rows are recorded on several servers. */
  isDistributed: boolean;
  /** State families, in the order of application. */
  families: readonly StateFamily[];
  metrics: Metrics;
  /** On several servers: their addresses at the last check for lost ones, and its time. */
  looked?: { servers: string; at: number };
}

/** A replaced server breaks its connections, after which a check follows at once. */
const LOOK_INTERVAL_MS = 5_000;

/** Records a range above the head over `lanes` connections, invisible until `publish`. The caller deletes a failure's remains. */
export async function record(
  writer: Writer,
  range: BlockRange,
  encoded: EncodedRows,
  lanes: number,
): Promise<void> {
  const { isDistributed, metrics } = writer;
  const outcomes = await timeStage(metrics, "record", () =>
    Promise.allSettled(
      balance(encoded, lanes).map((part) =>
        writeAs(writer, async (transaction) => {
          await Promise.all([
            isDistributed && lanes === 1 && shareConnections(transaction),
            insertChainRows(transaction, part),
            isDistributed && noteRecordedRows(transaction, range, part),
          ]);
        }),
      ),
    ),
  );
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  for (const [table, { rowCount }] of encoded) metrics.recordedRows.inc({ table }, rowCount);
}

/** Splits the documents into at most `count` parts of similar size: the largest first, each to the smallest part. */
function balance(encoded: EncodedRows, count: number): EncodedRows[] {
  const parts = Array.from({ length: Math.min(count, encoded.size) }, () => ({
    bytes: 0,
    encoded: new Map() as EncodedRows,
  }));
  const bySize = [...encoded].sort(([, a], [, b]) => b.document.length - a.document.length);
  for (const [name, table] of bySize) {
    const smallest = parts.reduce((least, part) => (part.bytes < least.bytes ? part : least));
    smallest.encoded.set(name, table);
    smallest.bytes += table.document.length;
  }
  return parts.map((part) => part.encoded);
}

/** Throws `StoreError` while a replaced server lacks rows of published blocks, and stores that for readers. */
export async function requireKept(writer: Writer): Promise<void> {
  const { sql, isDistributed } = writer;
  if (!isDistributed) return;
  const servers = await identifyServers(sql);
  if (servers === undefined || (await isCounted(sql, servers))) return;
  const lost = await findLostPublishedRows(sql);
  await writeAs(writer, (transaction) => writeCounted(transaction, servers, lost));
  if (lost !== null) throw rowsLost(lost);
}

/** As `requireKept`, when the coordinator lists other servers, and else at intervals. */
export async function watchServers(writer: Writer): Promise<void> {
  if (!writer.isDistributed) return;
  const { looked } = writer;
  const servers = await listServers(writer.sql);
  const at = performance.now();
  if (looked?.servers === servers && at - looked.at < LOOK_INTERVAL_MS) return;
  writer.looked = { servers, at };
  await requireKept(writer);
}

/** Throws `ChainError` (retryable) unless all recorded rows are visible on all servers, and `StoreError` as `requireKept`. */
export async function requireRecorded(writer: Writer, range: BlockRange): Promise<void> {
  const { sql, isDistributed } = writer;
  if (!isDistributed) return;
  const [unfinished] = await Promise.all([findLostRows(sql, range), watchServers(writer)]);
  if (unfinished === null) return;
  await finishTransactions(sql);
  const lost = await findLostRows(sql, range);
  if (lost === null) return;
  throw new ChainError("inconsistent-chain", `what was recorded is not whole: ${lost}`);
}

/** Publishes recorded blocks in one transaction: applies them to all state, writes the state read, moves the head. */
export async function publish(writer: Writer, range: SignedRange, values: StateValues | null) {
  const { isDistributed, families, metrics } = writer;
  await timeStage(metrics, "publish", () =>
    writeAs(writer, async (transaction) => {
      // All statements are sent at once, in this order, without waiting for each answer.
      await Promise.all([
        // A backfill's keys fit into memory when hashed, and rarely repeat in a row.
        transaction`
          SELECT set_config('work_mem', '64MB', true), set_config('enable_memoize', 'off', true)`,
        ...families.map((family) => family.apply(transaction, range)),
        values && writeState(transaction, values),
        writeHead(transaction, range.to, { rollBack: false }),
        isDistributed && forgetRecordedRows(transaction, range.to),
      ]);
    }),
  );
  metrics.publishedBlocks.inc(range.to - range.from + 1);
}
