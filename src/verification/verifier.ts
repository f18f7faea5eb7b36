import type { Logger } from "pino";
import type { Chain } from "../chain/chain.ts";
import type { Address } from "../core/address.ts";
import { sleep } from "../core/async.ts";
import { messageOf } from "../core/errors.ts";
import type { Sql } from "../db/client.ts";
import { deleteOldProxyChecks, type ProxyCheck } from "../store/proxies.ts";
import { deleteOldJobs, type JobLimits, type JobStatus } from "../store/verification-jobs.ts";
import type { CompilerCatalogue } from "./compilers/catalogue.ts";
import { DEFAULT_LIMITS, type WorkerLimits } from "./process.ts";
import {
  getProxyStatus,
  keepProxiesFresh,
  type ProxyVerification,
  verifyProxy,
} from "./proxies.ts";
import { startQueue } from "./queue.ts";
import type { VerificationRequest } from "./request.ts";
import {
  DEFAULT_JOB_LIMITS,
  getVerificationStatus,
  type Submission,
  submitVerification,
  waitForVerification,
} from "./submit.ts";
import { removeAbandonedFolders } from "./worker-folder.ts";
import { createWorkerPool } from "./worker-pool.ts";

export interface VerifierOptions {
  /** The database that is written to. */
  sql: Sql;
  chain: Pick<Chain, "fetchHead" | "fetchCodes" | "fetchStorage" | "fetchCalls">;
  catalogue: CompilerCatalogue;
  /** Jobs that run at once. */
  concurrency: number;
  log: Pick<Logger, "info" | "warn">;
  limits?: WorkerLimits;
  jobLimits?: JobLimits;
  /** Told of every job that ended. */
  onJob?: (outcome: "passed" | "failed", ms: number) => void;
}

/** Accepts verifications, runs them, and keeps what follows from them. */
export interface Verifier {
  /** See `submitVerification`. */
  submit(request: VerificationRequest): Promise<Submission>;
  /** State of a job; undefined for an unknown guid. */
  status(guid: string): Promise<JobStatus | undefined>;
  /** As `status`, after up to `timeoutMs` in which the job may end. */
  wait(guid: string, timeoutMs: number, signal?: AbortSignal): Promise<JobStatus | undefined>;
  /** See `verifyProxy`. */
  verifyProxy(address: Address, expected?: Address): Promise<ProxyVerification>;
  /** Outcome of a proxy check; undefined for an unknown guid. */
  proxyStatus(guid: string): Promise<ProxyCheck | undefined>;
  /** Compilers at hand, by their long versions. */
  compilers: CompilerCatalogue["list"];
  /** Stops everything; running jobs go back to the queue. */
  close(): Promise<void>;
}

const CLEANING_MS = 3_600_000;

/** Creates the verifier of a process and starts to work on the queue. */
export function createVerifier(options: VerifierOptions): Verifier {
  const { sql, log } = options;
  const closing = new AbortController();
  const workers = createWorkerPool(options.limits ?? DEFAULT_LIMITS);
  let ended = new AbortController();
  const queue = startQueue({
    ...options,
    workers,
    onJob: (outcome, ms) => {
      ended.abort();
      ended = new AbortController();
      options.onJob?.(outcome, ms);
    },
  });

  async function clean(): Promise<void> {
    while (!closing.signal.aborted) {
      const cleaning = [deleteOldJobs(sql), deleteOldProxyChecks(sql), removeAbandonedFolders()];
      for (const result of await Promise.allSettled(cleaning)) {
        if (result.status === "rejected")
          log.warn({ error: messageOf(result.reason) }, "old verifications cannot be removed");
      }
      await sleep(CLEANING_MS, closing.signal);
    }
  }

  const loops = Promise.all([clean(), keepProxiesFresh(options, log, closing.signal)]);
  return {
    submit: async (request) => {
      const submission = await submitVerification(
        options,
        request,
        options.jobLimits ?? DEFAULT_JOB_LIMITS,
      );
      if (submission.outcome === "accepted") queue.wake();
      return submission;
    },
    status: (guid) => getVerificationStatus(sql, guid),
    wait: (guid, timeoutMs, signal) =>
      waitForVerification(sql, guid, timeoutMs, () => ended.signal, signal),
    verifyProxy: (address, expected) => verifyProxy(options, address, expected),
    proxyStatus: (guid) => getProxyStatus(sql, guid),
    compilers: (family) => options.catalogue.list(family),
    close: async () => {
      closing.abort();
      await Promise.all([queue.stop(), loops]);
      await workers.close();
    },
  };
}
