import { sleep } from "../core/async.ts";
import type { Sql } from "../db/client.ts";
import {
  getJobStatus,
  insertJob,
  type JobLimits,
  type JobStatus,
} from "../store/verification-jobs.ts";
import { getCreationFacts, isFullyVerified } from "../store/verified-contracts.ts";
import { VerificationError } from "./errors.ts";
import { addressOfGuid, createGuid } from "./guid.ts";
import { requestedCompiler } from "./inputs/read.ts";
import { type FactsSource, fetchContractCode } from "./on-chain-facts.ts";
import type { VerificationRequest } from "./request.ts";

/** What became of a submission. */
export type Submission =
  | { outcome: "accepted"; guid: string }
  /** The code that stands at the address now is fully matched. */
  | { outcome: "already-verified" }
  | { outcome: "no-code" }
  /** Of the files of a `metadata-files` request none is the compiler's metadata. */
  | { outcome: "no-metadata" }
  /** Too many jobs wait, or too many were submitted for this address within an hour. */
  | { outcome: "queue-full" }
  | { outcome: "too-many" };

export const DEFAULT_JOB_LIMITS: JobLimits = { perHour: 10, waiting: 100 };

/** Longer than any version. */
const MAX_VERSION = 100;

/**
 * Accepts a request: its job is committed when this resolves, so that a status can be asked at once. Throws
 * `VerificationError` of code `node` when only the node could tell whether there is code, and does not answer.
 */
export async function submitVerification(
  source: FactsSource,
  request: VerificationRequest,
  limits: JobLimits,
): Promise<Submission> {
  const { sql, chain } = source;
  const { address } = request;
  if (await isFullyVerified(sql, address)) return { outcome: "already-verified" };
  const compiler = compilerOf(request);
  if (compiler === undefined) return { outcome: "no-metadata" };
  if (!(await getCreationFacts(sql, address))) {
    const { runtimeCode } = await fetchContractCode(chain, address);
    if (runtimeCode === null) return { outcome: "no-code" };
  }
  const guid = createGuid(address);
  const job = {
    guid,
    address,
    compiler: compiler.family,
    compilerVersion: compiler.version
      .toWellFormed()
      .replace(/\p{Cc}/gu, "")
      .slice(0, MAX_VERSION),
    request: JSON.stringify(request),
  };
  const outcome = await insertJob(sql, job, limits);
  return outcome === "added" ? { outcome: "accepted", guid } : { outcome };
}

function compilerOf(request: VerificationRequest) {
  try {
    return requestedCompiler(request);
  } catch (error) {
    if (error instanceof VerificationError && error.failure.code === "no-metadata")
      return undefined;
    throw error;
  }
}

/** The state of a job; undefined for a guid of nobody's. */
export async function getVerificationStatus(
  sql: Sql,
  guid: string,
): Promise<JobStatus | undefined> {
  const address = addressOfGuid(guid);
  return address && (await getJobStatus(sql, address, guid.toLowerCase()));
}

/** For jobs that another process runs. */
const POLL_MS = 500;

/**
 * As `getVerificationStatus`, but waits up to `timeoutMs` for the job to end. `nextEnd` gives a signal that is aborted
 * when the next job of this process ends.
 */
export async function waitForVerification(
  sql: Sql,
  guid: string,
  timeoutMs: number,
  nextEnd: () => AbortSignal,
  signal?: AbortSignal,
): Promise<JobStatus | undefined> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    // Taken before the question: a job that ends meanwhile is not overlooked.
    const ended = nextEnd();
    const status = await getVerificationStatus(sql, guid);
    const left = end - performance.now();
    const isOpen = status?.state === "pending" || status?.state === "running";
    if (!isOpen || left <= 0 || signal?.aborted) return status;
    await sleep(Math.min(POLL_MS, left), AbortSignal.any(signal ? [ended, signal] : [ended]));
  }
}
