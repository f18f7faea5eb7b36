import type { Logger } from "pino";
import type { Chain } from "../chain/chain.ts";
import type { Address } from "../core/evm/address.ts";
import { deleteOldProxyChecks } from "../store/contracts/proxies.ts";
import { deleteOldJobs, type JobLimits } from "../store/contracts/verification-jobs.ts";
import { getVerifiedMatch } from "../store/contracts/verified/lookup.ts";
import type { CompilerCatalogue } from "./compilers/catalogue.ts";
import type { CompilerFamily } from "./compilers/versions.ts";
import { type JobChain, type JobSource, startQueue } from "./jobs/queue.ts";
import {
  DEFAULT_JOB_LIMITS,
  getVerificationStatus,
  type Submission,
  type SubmissionOptions,
  submitVerification,
  waitForVerification,
} from "./jobs/submit.ts";
import { isStillFullyVerified, keepCodesCompared } from "./present-codes.ts";
import { removeAbandonedFolders } from "./process/machine.ts";
import { createWorkerPool } from "./process/pool.ts";
import { DEFAULT_LIMITS, type WorkerLimits } from "./process/worker-process.ts";
import {
  getProxyStatus,
  keepProxiesFresh,
  type ProxyCheckOptions,
  verifyProxy,
} from "./proxies/proxies.ts";
import type { VerificationRequest } from "./request.ts";
import { repeat } from "./rounds.ts";

export interface VerificationWorksOptions {
  catalogue: CompilerCatalogue;
  /** Concurrent compiles. */
  concurrency: number;
  log: Pick<Logger, "info" | "warn">;
  limits?: WorkerLimits;
  /** See `QueueOptions`. */
  budgetMs?: number;
}

/** Resources shared by a process's chains: one queue, one set of compilers. */
export type VerificationWorks = ReturnType<typeof createVerificationWorks>;

export interface VerifierOptions extends Omit<JobSource, "schema" | "log" | "chain"> {
  /** Schema of the tables, in the database of `sql`; default `public`. */
  schema?: string;
  chain: Chain;
  /** Null where other processes verify. */
  works: VerificationWorks | null;
  log: Pick<Logger, "info" | "warn">;
  jobLimits?: JobLimits;
  /** Called with the outcome of every submission. */
  onSubmission?: (outcome: Submission["outcome"]) => void;
}

/** Accepts, runs and stores the verifications of one chain. */
export type Verifier = ReturnType<typeof createVerifier>;

const CLEANING_MS = 3_600_000;

/** Creates the resources shared by a process's chains, and starts the queue. */
export function createVerificationWorks(options: VerificationWorksOptions) {
  const { catalogue, log } = options;
  const closing = new AbortController();
  const workers = createWorkerPool(options.limits ?? DEFAULT_LIMITS);
  const queue = startQueue({ ...options, workers });
  const cleaning = clean(removeAbandonedFolders, log, closing.signal);
  return {
    queue,
    compilers: (family: CompilerFamily) => catalogue.list(family),
    /** Stops everything; running jobs return to the queue. */
    close: async () => {
      closing.abort();
      await Promise.all([queue.stop(), cleaning]);
      await workers.close();
    },
  };
}

function clean(task: () => Promise<void>, log: Pick<Logger, "warn">, signal: AbortSignal) {
  return repeat(task, CLEANING_MS, [log, "cannot delete old verifications"], signal);
}

/** Creates the verifier of a chain, idle until `start`. */
export function createVerifier(options: VerifierOptions) {
  const { sql, log, works } = options;
  const closing = new AbortController();
  let ended = new AbortController();
  let queue: JobChain | undefined;
  let loops: Promise<unknown> | undefined;
  return {
    /** Starts the chain's jobs; before that, and if `works` is null, only other processes run them. */
    start: () => {
      queue = works?.queue.add({
        schema: "public",
        ...options,
        onJob: (outcome, ms) => {
          ended.abort();
          ended = new AbortController();
          options.onJob?.(outcome, ms);
        },
      });
      loops = Promise.all([
        clean(() => deleteOldJobs(sql), log, closing.signal),
        clean(() => deleteOldProxyChecks(sql), log, closing.signal),
        keepProxiesFresh(options, log, closing.signal),
        keepCodesCompared(options, log, closing.signal),
      ]);
    },
    /** See `submitVerification`. */
    submit: async (request: VerificationRequest, client: string, given?: SubmissionOptions) => {
      const submission = await submitVerification(
        options,
        request,
        client,
        options.jobLimits ?? DEFAULT_JOB_LIMITS,
        { ...given, schemas: works?.queue.schemas() ?? [] },
      );
      options.onSubmission?.(submission.outcome);
      if (submission.outcome === "accepted") queue?.wake();
      return submission;
    },
    /** See `isStillFullyVerified`. */
    isFullyVerified: (address: Address) => isStillFullyVerified(options, address),
    /** Returns a contract's match from the primary database; undefined when it is not verified. */
    match: (address: Address) => getVerifiedMatch(sql, address),
    /** Returns the state of a job; undefined for an unknown guid. */
    status: (guid: string) => getVerificationStatus(sql, guid),
    /** As `status`, after waiting up to `timeoutMs` for the job's end. */
    wait: (guid: string, timeoutMs: number, signal?: AbortSignal) =>
      waitForVerification(sql, guid, timeoutMs, () => ended.signal, signal),
    /** See `verifyProxy`. */
    verifyProxy: (address: Address, check?: ProxyCheckOptions) =>
      verifyProxy(options, address, check),
    /** Returns the outcome of a proxy check; undefined for an unknown guid. */
    proxyStatus: (guid: string) => getProxyStatus(sql, guid),
    /** Available compilers, by their long versions. */
    compilers: works?.compilers ?? (async () => []),
    /** Leaves the queue; running jobs return to it. */
    close: async () => {
      closing.abort();
      await Promise.all([queue?.stop(), loops]);
    },
  };
}
