import type { Address } from "../core/address.ts";
import type { Queryable, Sql } from "../db/client.ts";

/** A job as those who ask for it see it. */
export interface JobStatus {
  address: Address;
  state: "pending" | "running" | "passed" | "failed";
  /** Code of the failure; null unless failed. */
  failure: string | null;
  /** Sentence of the failure; null unless failed. */
  reason: string | null;
}

/** A job that was begun. `attempt` counts its beginnings: what an earlier one says no longer counts. */
export interface ClaimedJob {
  guid: string;
  address: Address;
  attempt: number;
  /** `solc` or `vyper`. */
  compiler: string;
  compilerVersion: string;
  /** JSON. */
  request: string;
}

export interface JobLimits {
  /** Of one address within an hour. */
  perHour: number;
  /** Jobs that wait, of all addresses. */
  waiting: number;
}

const LEASE = "15 seconds";
const MAX_ATTEMPTS = 2;

/**
 * Adds a job, committed when this resolves; or tells which limit it would exceed. One statement: hundreds
 * of submissions may come at once, and other questions wait behind each round trip.
 */
export async function insertJob(
  sql: Sql,
  job: Omit<ClaimedJob, "attempt">,
  limits: JobLimits,
): Promise<"added" | "queue-full" | "too-many"> {
  const [row] = await sql<[{ outcome: "added" | "queue-full" | "too-many" }]>`
    SELECT add_verification_job(${job.guid}, ${job.address}, ${job.compiler}, ${job.compilerVersion},
      ${job.request}, ${limits.perHour}, ${limits.waiting}) AS outcome`;
  return row.outcome;
}

/** Jobs that are not finished. */
export interface OpenJobs {
  pending: number;
  running: number;
  /** How long the first of those that wait does so, in seconds. */
  waitSeconds: number;
}

/** Counts the jobs that are not finished. */
export async function countOpenJobs(sql: Queryable): Promise<OpenJobs> {
  const [jobs] = await sql<[OpenJobs]>`
    SELECT count(*) FILTER (WHERE state = 'pending') AS pending,
      count(*) FILTER (WHERE state = 'running') AS running,
      coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE state = 'pending')), 0)::int
        AS "waitSeconds"
    FROM verification_jobs WHERE state IN ('pending', 'running')`;
  return jobs;
}

/** The job of a guid; undefined when there is none. */
export async function getJobStatus(
  sql: Queryable,
  address: Address,
  guid: string,
): Promise<JobStatus | undefined> {
  const [row] = await sql<JobStatus[]>`
    SELECT address, state, failure, reason FROM verification_jobs
    WHERE address = ${address} AND guid = ${guid}`;
  return row;
}

/**
 * Begins the job that waits longest among the addresses of which none runs; undefined when there is none. It counts as
 * abandoned 15 s after the last `renewLease`.
 */
export async function claimJob(sql: Sql): Promise<ClaimedJob | undefined> {
  const [row] = await sql<ClaimedJob[]>`
    UPDATE verification_jobs SET state = 'running', attempts = attempts + 1,
      lease_until = now() + ${LEASE}::interval
    WHERE state = 'pending' AND (address, guid) = (
      SELECT address, guid FROM verification_jobs waiting
      WHERE state = 'pending' AND NOT EXISTS (
        SELECT FROM verification_jobs running
        WHERE running.address = waiting.address AND running.state = 'running')
      ORDER BY created_at, guid
      LIMIT 1
      FOR UPDATE SKIP LOCKED)
    RETURNING guid, address, attempts AS attempt, compiler, compiler_version AS "compilerVersion",
      request`.catch(conflict);
  return row;
}

/** Two runners that begin jobs of one address at the same moment: one of them gets none this time. */
function conflict(error: unknown): [] {
  if ((error as { code?: string }).code === "23505") return [];
  throw error;
}

/** Keeps a running job from counting as abandoned. False when it does already. */
export async function renewLease(sql: Sql, job: ClaimedJob): Promise<boolean> {
  const renewed = await sql`
    UPDATE verification_jobs SET lease_until = now() + ${LEASE}::interval
    WHERE address = ${job.address} AND guid = ${job.guid}
      AND state = 'running' AND attempts = ${job.attempt}`;
  return renewed.count > 0;
}

/** Ends a running job. `failure` null: it passed. False, and nothing changed, when it counts as abandoned. */
export async function finishJob(
  sql: Queryable,
  job: ClaimedJob,
  failure: { code: string; reason: string } | null,
): Promise<boolean> {
  const finished = await sql`
    UPDATE verification_jobs SET state = ${failure ? "failed" : "passed"}, finished_at = now(),
      lease_until = NULL, request = NULL, failure = ${failure?.code ?? null}, reason = ${failure?.reason ?? null}
    WHERE address = ${job.address} AND guid = ${job.guid}
      AND state = 'running' AND attempts = ${job.attempt}`;
  return finished.count > 0;
}

/** Counts a running job as abandoned at once: whatever ran it failed. */
export async function abandonJob(sql: Sql, job: ClaimedJob): Promise<void> {
  await sql`
    UPDATE verification_jobs SET lease_until = now() - interval '1 second'
    WHERE address = ${job.address} AND guid = ${job.guid}
      AND state = 'running' AND attempts = ${job.attempt}`;
}

/** Gives a running job back to the queue as if it had not been begun: the process that ran it is closing. */
export async function releaseJob(sql: Sql, job: ClaimedJob): Promise<void> {
  await sql`
    UPDATE verification_jobs SET state = 'pending', attempts = attempts - 1, lease_until = NULL
    WHERE address = ${job.address} AND guid = ${job.guid}
      AND state = 'running' AND attempts = ${job.attempt}`;
}

/**
 * Puts abandoned jobs back into the queue, the first time; the second time they fail, so that a job that ends the
 * process does not do so for ever.
 */
export async function reclaimAbandonedJobs(
  sql: Sql,
  failure: { code: string; reason: string },
): Promise<void> {
  await sql`
    UPDATE verification_jobs SET lease_until = NULL,
      state = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN 'pending' ELSE 'failed' END,
      finished_at = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN NULL ELSE now() END,
      request = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN request END,
      failure = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN NULL ELSE ${failure.code}::text END,
      reason = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN NULL ELSE ${failure.reason}::text END
    WHERE state = 'running' AND lease_until < now()`;
}

/** Forgets jobs that ended more than a week ago. */
export async function deleteOldJobs(sql: Sql): Promise<void> {
  await sql`DELETE FROM verification_jobs WHERE finished_at < now() - interval '7 days'`;
}
