import type { Chain } from "../chain/chain.ts";
import { sleep } from "../core/async.ts";
import { ChainError, ConfigError, messageOf, StoreError } from "../core/errors.ts";
import type { Sql } from "../db/client.ts";
import { isDatabaseGone, publicReasonOf } from "../db/failures.ts";
import { isDistributed } from "../store/cluster/distribution.ts";
import { countMarks } from "../store/state/tokens/marks.ts";
import { addProvenPart, getServedHead, writeIndexerStatus } from "../store/sync-state.ts";
import {
  beginHandingOver,
  keepWriterLock,
  releaseWriterLock,
  takeWriterLock,
  WriterReplacedError,
  type WriterTerm,
} from "../store/writer/writer.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { createAgreement } from "./checks/agreement.ts";
import type { SyncOptions } from "./context.ts";
import { explainExpired, isExpired } from "./expired-history.ts";
import { createProofs } from "./proof/proofs.ts";
import type { StateFamily } from "./state/family.ts";
import { countPending } from "./state/reading.ts";
import { synchronise } from "./sync.ts";
import { type IndexerStatus, initialStatus } from "./thread/status.ts";

export interface IndexerOptions extends Omit<SyncOptions, "status"> {
  chain: Chain;
  sql: Sql;
  /** A client of one connection, whose session holds the writer's lock. The application name identifies this process's indexers. */
  lockSql: Sql;
  families: readonly StateFamily[];
  metrics: Metrics;
  onStatus(status: IndexerStatus): void;
}

const STANDBY_INTERVAL_MS = 1_000;
/** Shortest interval of checks whether to hand the chain over, and its most jitter; each check keeps the session alive. */
const SHARING_INTERVAL_MS = 2_500;
const STATUS_INTERVAL_MS = 1_000;
/** Intervals after which an unchanged status is reported again. */
const LONGEST_SILENCE = 4;
const RETRY_MINIMUM_MS = 100;
const RETRY_MAXIMUM_MS = 5_000;
/** Expired history does not come back without an operator. */
const EXPIRED_PAUSE_MS = 60_000;
/** Limit of the count of pending state. */
const PENDING_COUNT_LIMIT = 10_000;

/** Indexes until aborted, through failures. Stands by while another writes; hands over to one with two chains fewer. */
export async function runIndexer(options: IndexerOptions): Promise<void> {
  const { chain, sql, lockSql, families, metrics, log, signal, onStatus } = options;
  const status = initialStatus();
  const proofs = createProofs({
    enabled: options.proofs,
    metrics,
    log,
    status,
    remember: (part) => addProvenPart(sql, part),
  });
  const agreement = createAgreement({ chain, metrics, log, status, proofs });
  const reporting = report();
  let retryMs = RETRY_MINIMUM_MS;
  try {
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        const term = await takeWriterLock(lockSql);
        if (term === undefined) {
          if (status.phase !== "standby")
            log.info("another indexer writes to this database: standing by");
          status.phase = "standby";
          status.reason = "another indexer writes to this database";
          status.head = (await getServedHead(sql))?.number ?? null;
          await sleep(STANDBY_INTERVAL_MS, signal);
          continue;
        }
        // A failure that recurs at each start extends one wait.
        if (status.phase !== "waiting") status.phase = "starting";
        await write(term);
      } catch (error) {
        if (error instanceof ConfigError) throw error;
        if (signal.aborted) break;
        if (performance.now() - startedAt > RETRY_MAXIMUM_MS) retryMs = RETRY_MINIMUM_MS;
        const pauseMs = isExpired(error) ? EXPIRED_PAUSE_MS : retryMs;
        await explain(error, pauseMs);
        await sleep(pauseMs, signal);
        retryMs = Math.min(retryMs * 2, RETRY_MAXIMUM_MS);
      }
    }
  } finally {
    await reporting.stop();
  }

  /** Writes until the signal is aborted, or until the chain is handed over. */
  async function write(term: WriterTerm): Promise<void> {
    const ending = new AbortController();
    const writing = AbortSignal.any([signal, ending.signal]);
    let handsOver = false;
    const sharing = share(writing, () => {
      handsOver = true;
      ending.abort();
    });
    try {
      const writer = { sql, term, isDistributed: await isDistributed(sql), families, metrics };
      await synchronise(chain, writer, { ...options, status, signal: writing }, agreement);
    } catch (error) {
      if (!handsOver || error instanceof ConfigError) throw error;
    } finally {
      ending.abort();
      await sharing;
      if (handsOver) await releaseWriterLock(lockSql);
    }
  }

  /** Calls `end` to hand the chain over, and keeps the lock until then. */
  async function share(writing: AbortSignal, end: () => void): Promise<void> {
    while (!writing.aborted) {
      await sleep(SHARING_INTERVAL_MS * (1 + Math.random()), writing);
      if (writing.aborted) return;
      try {
        // An index build cannot be interrupted.
        if (status.indexes !== null || status.replacedIndexes !== null) {
          await keepWriterLock(lockSql);
          continue;
        }
        if (!(await beginHandingOver(lockSql))) continue;
        log.info("another process writes fewer chains: handing this one over");
        end();
      } catch (error) {
        // The synchronisation itself reports an unreachable database.
        if (!isDatabaseGone(error))
          log.error({ error }, `cannot balance chains between processes:  ${messageOf(error)}`);
      }
    }
  }

  async function explain(error: unknown, pauseMs: number): Promise<void> {
    const next = `trying again in ${pauseMs} ms`;
    if (error instanceof WriterReplacedError) {
      log.warn(error.message);
    } else if (error instanceof ChainError || error instanceof StoreError) {
      const reason = isExpired(error) ? await explainExpired(chain, error) : error.message;
      status.phase = "waiting";
      status.backfill = null;
      status.reason = reason;
      log.warn({ code: error.code }, `${reason}; ${next}`);
    } else {
      status.phase = "waiting";
      // The status is public; the server's message may contain its host.
      status.reason = publicReasonOf(error) ?? "an unexpected failure; the log has it";
      log.error({ error }, `indexing failed: ${messageOf(error)}; ${next}`);
    }
  }

  /** Reports the status at intervals, less often while unchanged. The writing indexer also counts the pending state. */
  function report(): { stop(): Promise<void> } {
    let running: Promise<void> | undefined;
    let reported = "";
    let silent = 0;
    let workedAt = performance.now();
    const timer = setInterval(() => {
      if (status.phase !== "waiting") workedAt = performance.now();
      status.waitSeconds = Math.floor((performance.now() - workedAt) / 1000);
      if (running !== undefined) return;
      const text = JSON.stringify(status);
      const isReading = Object.values(status.pending ?? {}).some((count) => count > 0);
      if (text === reported && !isReading && ++silent < LONGEST_SILENCE) return;
      reported = text;
      silent = 0;
      running = reportOnce().finally(() => {
        running = undefined;
      });
    }, STATUS_INTERVAL_MS);
    return {
      stop: async () => {
        clearInterval(timer);
        await running;
      },
    };
  }

  async function reportOnce(): Promise<void> {
    try {
      if (status.phase !== "standby") {
        status.pending = await countPending(options, PENDING_COUNT_LIMIT);
        status.tokens = await countMarks(sql);
        await writeIndexerStatus(sql, status);
      }
    } catch (error) {
      // The synchronisation itself reports an unreachable database.
      if (!isDatabaseGone(error))
        log.error({ error }, `cannot store the indexer's status:  ${messageOf(error)}`);
    }
    onStatus(status);
  }
}
