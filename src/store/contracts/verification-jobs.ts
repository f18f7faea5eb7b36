import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstRow, pluck, type Queryable, type Sql } from "../../db/client.ts";
import { failureCodeOf } from "../../db/failures.ts";

/** A job, as shown to its client. */
export interface JobStatus {
  address: Address;
  state: "pending" | "running" | "passed" | "failed";
  /** Error code; null unless failed. */
  failure: string | null;
  /** Error sentence; null unless failed. */
  reason: string | null;
  createdAtSeconds: number;
  finishedAtSeconds: number | null;
}

/** A claimed job. `attempt` counts the claims: only the last one may finish it. */
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

/** A job as it is submitted. */
export interface NewJob extends Omit<ClaimedJob, "attempt"> {
  /** Identifies the client for limits and scheduling; 32 bytes. */
  client: Hex;
}

export interface JobLimits {
  /** Most jobs of one client for one address within an hour. */
  perHour: number;
  waitingOfClient: number;
  waiting: number;
  /** Codes of failures that do not count for `perHour`. */
  uncounted: readonly string[];
  /** The failure of a job displaced by one of a client with fewer waiting jobs. */
  displaced: { code: string; reason: string };
}

/** Outcome of a submission; `displaced`: the job was added in place of another client's. */
export type JobInsertion = "added" | "displaced" | "too-many" | "client-full" | "queue-full";

const LEASE = "15 seconds";
const MAX_ATTEMPTS = 2;
const UNIQUE_VIOLATION = "23505";
const LOCK_NOT_AVAILABLE = "55P03";
/** A table, column or right is missing. */
const MISSING = /^42(?:P01|703|501)$/;
/** Time limit of the readers of several chains' tables. */
const LOCK_TIMEOUT = "500ms";

/** Adds a job, or returns the limit that it would exceed. One statement: submissions may come in hundreds. */
export async function insertJob(
  sql: Sql,
  job: NewJob,
  limits: JobLimits,
  schemas: readonly string[],
): Promise<JobInsertion> {
  try {
    const [row] = await sql<[{ outcome: JobInsertion }]>`
      SELECT add_verification_job(${job.guid}, ${job.address}, ${job.client}, ${job.compiler},
        ${job.compilerVersion}, ${job.request}, ${limits.perHour}, ${limits.waitingOfClient}, ${limits.waiting},
        ${[...limits.uncounted]}::text[], ${limits.displaced.code}, ${limits.displaced.reason},
        ${[...schemas]}::text[]) AS outcome`;
    return row.outcome;
  } catch (error) {
    const code = failureCodeOf(error) ?? "";
    if (schemas.length === 0 || (code !== LOCK_NOT_AVAILABLE && !MISSING.test(code))) throw error;
    return insertJob(sql, job, limits, []);
  }
}

/** Unfinished jobs. */
export interface OpenJobs {
  pending: number;
  running: number;
  /** How long the oldest waiting job has waited, in seconds. */
  waitSeconds: number;
  clients: number;
}

/** Counts the unfinished jobs. */
export async function countOpenJobs(sql: Queryable): Promise<OpenJobs> {
  const [jobs] = await sql<[OpenJobs]>`
    SELECT count(*) FILTER (WHERE state = 'pending') AS pending,
      count(*) FILTER (WHERE state = 'running') AS running,
      coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE state = 'pending')), 0)::int AS wait_seconds,
      count(DISTINCT client) FILTER (WHERE state = 'pending') AS clients
    FROM verification_jobs WHERE state IN ('pending', 'running')`;
  return jobs;
}

/** Returns the job of a guid; undefined when there is none. */
export function getJobStatus(sql: Queryable, address: Address, guid: string) {
  return firstRow(sql<JobStatus[]>`
    SELECT address, state, failure, reason, extract(epoch FROM created_at)::int8 AS created_at_seconds,
      extract(epoch FROM finished_at)::int8 AS finished_at_seconds
    FROM verification_jobs
    WHERE address = ${address} AND guid = ${guid}`);
}

/** The next job, and the index of its source. */
export interface Turn {
  source: number;
  address: Address;
  guid: string;
}

/**
 * Finds the next job of all open sources, no two of an address: clients within their budget first, then those with fewer running
 * jobs, then the longest without a turn, then the oldest. Rejects when a table stays locked.
 */
export async function findTurn(
  sql: Sql,
  sources: readonly { schema: string }[],
  open: readonly boolean[],
  budgetMs: number,
): Promise<Turn | undefined> {
  const columns = sql`address, guid, client, state, created_at, started_at, busy_ms`;
  const jobs = sources.map(
    ({ schema }, source) => sql`
      SELECT ${source}::int AS source, ${open[source] === true}::boolean AS is_open, ${columns}
      FROM ${sql(schema)}.verification_jobs WHERE state IN ('pending', 'running')
      UNION ALL
      SELECT ${source}::int, false, ${columns}
      FROM ${sql(schema)}.verification_jobs
      WHERE started_at > now() - interval '1 hour' AND state NOT IN ('pending', 'running')`,
  );
  const all = jobs.reduce((first, second) => sql`${first} UNION ALL ${second}`);
  return sql.begin(async (transaction) => {
    await transaction`SELECT set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`;
    const [turn] = await transaction<Turn[]>`
      WITH jobs AS (${all}), past AS (
        SELECT client, max(started_at) AS last_turn, count(*) FILTER (WHERE state = 'running') AS running,
          sum(busy_ms + CASE WHEN state = 'running' THEN ${elapsedMs(sql)} ELSE 0 END) AS busy_ms
        FROM jobs
        WHERE started_at > now() - interval '1 hour'
        GROUP BY client)
      SELECT waiting.source, waiting.address, waiting.guid
      FROM jobs waiting
      LEFT JOIN past ON past.client = waiting.client
      WHERE waiting.state = 'pending' AND waiting.is_open AND NOT EXISTS (
        SELECT FROM jobs running
        WHERE running.source = waiting.source AND running.address = waiting.address AND running.state = 'running')
      ORDER BY coalesce(past.busy_ms, 0) >= ${budgetMs}, coalesce(past.running, 0), past.last_turn NULLS FIRST,
        waiting.created_at, waiting.guid
      LIMIT 1`;
    return turn;
  });
}

/** Claims a job; undefined when it no longer waits. It counts as abandoned 15 s after the last `renewLease`. */
export function claimJob(sql: Sql, { address, guid }: Omit<Turn, "source">) {
  const claiming = sql<ClaimedJob[]>`
    UPDATE verification_jobs SET state = 'running', attempts = attempts + 1,
      started_at = now(), lease_until = now() + ${LEASE}::interval
    WHERE address = ${address} AND guid = ${guid} AND state = 'pending'
    RETURNING guid, address, attempts AS attempt, compiler, compiler_version, request`;
  return firstRow(claiming).catch((error: unknown) => {
    // Another process has claimed the address at the same moment.
    if (failureCodeOf(error) === UNIQUE_VIOLATION) return undefined;
    throw error;
  });
}

/** Returns the time since a running job was claimed; bounded, as the database's clock may have changed. */
function elapsedMs(sql: Queryable): Fragment {
  return sql`(extract(epoch FROM greatest(interval '0', least(now() - started_at, interval '1 hour'))) * 1000)::int8`;
}

/** Changes a running job. Returns false, without a change, when it no longer belongs to this attempt. */
async function changeRunning(sql: Queryable, job: ClaimedJob, changes: Fragment) {
  const { address, guid, attempt } = job;
  const changed = await sql`
    UPDATE verification_jobs SET ${changes}
    WHERE address = ${address} AND guid = ${guid} AND state = 'running' AND attempts = ${attempt}`;
  return changed.count > 0;
}

/** Renews the lease of a running job. Returns false when it no longer belongs to this attempt. */
export function renewLease(sql: Sql, job: ClaimedJob) {
  return changeRunning(sql, job, sql`lease_until = now() + ${LEASE}::interval`);
}

/** Ends a running job; `failure` null: it passed. Returns false, without a change, when it no longer belongs to this attempt. */
export function finishJob(
  sql: Queryable,
  job: ClaimedJob,
  failure: { code: string; reason: string } | null,
) {
  const changes = sql`state = ${failure ? "failed" : "passed"}, finished_at = now(), lease_until = NULL,
    busy_ms = busy_ms + ${elapsedMs(sql)}, request = NULL,
    failure = ${failure?.code ?? null}, reason = ${failure?.reason ?? null}`;
  return changeRunning(sql, job, changes);
}

/** Adds a note for the sender to a passed job. */
export async function noteOnPass(sql: Queryable, { guid }: ClaimedJob, note: string) {
  await sql`UPDATE verification_jobs SET reason = ${note} WHERE guid = ${guid} AND state = 'passed'`;
}

/** Marks a running job as abandoned at once, because its runner failed. */
export async function abandonJob(sql: Sql, job: ClaimedJob): Promise<void> {
  await changeRunning(sql, job, sql`lease_until = '-infinity'`);
}

/** Returns the leases of the running jobs. A renewed lease differs. */
export function listLeases(sql: Sql) {
  return pluck(sql<{ lease: string }[]>`
    SELECT ${leaseName(sql)} AS lease FROM verification_jobs WHERE state = 'running'`);
}

function leaseName(sql: Queryable): Fragment {
  return sql`concat_ws(' ', guid, attempts, lease_until)`;
}

/** Returns a running job to the queue as if unclaimed: its process is closing, or lost the database. */
export async function releaseJob(sql: Sql, job: ClaimedJob): Promise<void> {
  const changes = sql`state = 'pending', attempts = attempts - 1, lease_until = NULL,
    busy_ms = busy_ms + ${elapsedMs(sql)}`;
  await changeRunning(sql, job, changes);
}

/** Requeues abandoned jobs once, then fails them: such a job may crash every process. */
export async function reclaimAbandonedJobs(
  sql: Sql,
  leases: readonly string[],
  failure: { code: string; reason: string },
): Promise<void> {
  await sql`
    UPDATE verification_jobs SET lease_until = NULL, busy_ms = busy_ms + ${elapsedMs(sql)},
      state = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN 'pending' ELSE 'failed' END,
      finished_at = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN NULL ELSE now() END,
      request = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN request END,
      failure = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN NULL ELSE ${failure.code}::text END,
      reason = CASE WHEN attempts < ${MAX_ATTEMPTS} THEN NULL ELSE ${failure.reason}::text END
    WHERE state = 'running' AND (lease_until = '-infinity' OR ${leaseName(sql)} = ANY (${[...leases]}::text[]))`;
}

/** Deletes jobs that ended more than a week ago. */
export async function deleteOldJobs(sql: Sql): Promise<void> {
  await sql`DELETE FROM verification_jobs WHERE finished_at < now() - interval '7 days'`;
}
