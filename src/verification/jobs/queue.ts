import { sleep } from "../../core/async.ts";
import { messageOf } from "../../core/errors.ts";
import { isDatabaseGone } from "../../db/failures.ts";
import {
  abandonJob,
  type ClaimedJob,
  claimJob,
  reclaimAbandonedJobs,
  releaseJob,
  renewLease,
} from "../../store/verification-jobs.ts";
import { reasonOf } from "../errors.ts";
import { type JobSurroundings, runJob } from "./job.ts";

/** Runs the jobs of the database. */
export interface JobQueue {
  /** Looks for a job at once: one was added. */
  wake(): void;
  /** Stops what runs and gives it back to the queue. */
  stop(): Promise<void>;
}

export interface QueueOptions extends JobSurroundings {
  /** Jobs that run at once in this process. */
  concurrency: number;
  /** Time that a client may keep the runners busy within an hour before it waits for all others. */
  budgetMs?: number;
  /** Told of every job that ended. */
  onJob?: ((outcome: "passed" | "failed", ms: number) => void) | undefined;
}

/** Other processes add jobs too. */
const IDLE_MS = 1000;
/** Two bombs, or some fifty ordinary verifications. */
const BUDGET_MS = 120_000;
/** Well below the 15 s after which a job counts as abandoned. */
const LEASE_MS = 4000;
const FAILURE_PAUSE_MS = 1000;
const RETRY_MS = 100;

const CRASHED = { code: "crashed", reason: reasonOf({ code: "crashed" }) } as const;

/** Starts to work on the queue. Any number of processes may do so on one database. */
export function startQueue(options: QueueOptions): JobQueue {
  const { sql, log, concurrency, onJob, budgetMs = BUDGET_MS } = options;
  const stopping = new AbortController();
  let woken = new AbortController();

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const seen = woken.signal;
        const job = await claimJob(sql, budgetMs);
        if (job === undefined) await sleep(IDLE_MS, AbortSignal.any([seen, stopping.signal]));
        else await run(job);
      } catch (error) {
        log.warn({ error: messageOf(error) }, "the verification queue cannot be read");
        await sleep(FAILURE_PAUSE_MS, stopping.signal);
      }
    }
  }

  async function run(job: ClaimedJob): Promise<void> {
    const lost = new AbortController();
    const startedAt = performance.now();
    const lease = setInterval(() => {
      void renewLease(sql, job).then(
        (isOurs) => isOurs || lost.abort(),
        (error) => log.warn({ error: messageOf(error) }, "a lease was not renewed"),
      );
    }, LEASE_MS);
    try {
      const passed = await runJob(options, job, AbortSignal.any([lost.signal, stopping.signal]));
      onJob?.(passed ? "passed" : "failed", performance.now() - startedAt);
    } catch (error) {
      if (stopping.signal.aborted) return await releaseJob(sql, job);
      // Says nothing of the job, however often it happens.
      if (isDatabaseGone(error)) return await giveBack(job);
      log.warn({ address: job.address, error: messageOf(error) }, "a verification broke off");
      await abandonJob(sql, job);
      await reclaimAbandonedJobs(sql, CRASHED);
    } finally {
      clearInterval(lease);
    }
  }

  /** Waits for the database to return, unless this process ends or the job's lease before it. */
  async function giveBack(job: ClaimedJob): Promise<void> {
    for (const end = performance.now() + LEASE_MS; ; await sleep(RETRY_MS, stopping.signal)) {
      try {
        return await releaseJob(sql, job);
      } catch (error) {
        if (stopping.signal.aborted || performance.now() > end) throw error;
      }
    }
  }

  async function reclaim(): Promise<void> {
    while (!stopping.signal.aborted) {
      await reclaimAbandonedJobs(sql, CRASHED).catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, "abandoned verifications cannot be reclaimed"),
      );
      await sleep(LEASE_MS, stopping.signal);
    }
  }

  const loops = Promise.all([reclaim(), ...Array.from({ length: concurrency }, work)]);
  return {
    wake: () => {
      woken.abort();
      woken = new AbortController();
    },
    stop: async () => {
      stopping.abort();
      await loops;
    },
  };
}
