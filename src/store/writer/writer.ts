import { StoreError } from "../../core/errors.ts";
import { hasRows, type Queryable, type Sql, type Transaction } from "../../db/client.ts";
import { isOutdated } from "../../db/migrate.ts";
import { endSharers } from "../../db/session.ts";

/** Arbitrary constants, different from all other advisory locks. The schema's oid separates the chains of a database. */
const LOCK_CLASS = { writer: 722_041_500, standby: 722_041_502, handingOver: 722_041_503 };
/** A standby asks every second; one that was silent for this long, or whose clock is ahead, is ignored. */
const SILENCE = "5 seconds";
/** Silence after which the server ends a writer's session, and with it the term: its process is stuck. */
export const WRITER_SILENCE_MS = 60_000;

/** Fencing token: no later writer, and the lock's session is alive. */
export interface WriterTerm {
  epoch: number;
  /** The session's process, and its start, as text. */
  pid: number;
  begun: string;
}

/** A client, and the term under which it writes. */
export interface TermWriter {
  sql: Sql;
  term: WriterTerm;
}

/** Another writer or a lost session ended the term. The published state must be read again: a crash may have lost commits. */
export class WriterReplacedError extends StoreError {
  constructor() {
    super(
      "writer-replaced",
      "another indexer writes to this database now, or the writer's session there ended",
    );
  }
}

/**
 * Tries to become the writer, for as long as the one session of `sql` lives, and ends the last term's transactions. Undefined while
 * another holds the lock or one with fewer chains waits. Throws `StoreError` of code
 * `writer-outdated` after a newer version's upgrade: an older one's writes would lack the newer columns.
 */
export async function takeWriterLock(sql: Queryable): Promise<WriterTerm | undefined> {
  const [locks] = await sql<[{ isStandby: boolean; isWriter: boolean; isWritten: boolean }]>`
    SELECT coalesce(bool_or(classid = ${LOCK_CLASS.standby} AND pid = pg_backend_pid()), false) AS is_standby,
      coalesce(bool_or(classid = ${LOCK_CLASS.writer} AND pid = pg_backend_pid()), false) AS is_writer,
      coalesce(bool_or(classid = ${LOCK_CLASS.writer}), false) AS is_written
    FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objid = current_schema()::regnamespace::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  if (!locks.isStandby) {
    await sql`SELECT pg_advisory_lock_shared(${LOCK_CLASS.standby}, ${ownSchema(sql)})`;
  }
  if (!locks.isWriter) {
    if (locks.isWritten || (await isAnothersTurn(sql))) return undefined;
    const [lock] = await sql<[{ taken: boolean }]>`
      SELECT pg_try_advisory_lock(${LOCK_CLASS.writer}, ${ownSchema(sql)}) AS taken`;
    if (!lock.taken) return undefined;
  }
  await endSharers(sql);
  const [term] = await sql<WriterTerm[]>`
    UPDATE writer SET epoch = epoch + 1
    FROM pg_stat_get_activity(pg_backend_pid()) AS session
    RETURNING epoch, pid, backend_start::text AS begun`;
  if (!term) throw new StoreError("writer-missing", "the table writer has lost its row");
  // Later upgrades end the term.
  if (await isOutdated(sql)) {
    await releaseWriterLock(sql);
    throw new StoreError(
      "writer-outdated",
      "a newer Periscope has upgraded the database; this one indexes no more blocks",
    );
  }
  return term;
}

/** Condition: a session holds the writer's lock of the schema; null on a replica. */
export function isWritten(sql: Queryable) {
  return sql`CASE WHEN NOT pg_is_in_recovery() THEN EXISTS (
    SELECT 1 FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND classid = ${LOCK_CLASS.writer}
      AND objid = current_schema()::regnamespace::oid
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) END`;
}

/** Returns whether a standby with two chains fewer should take this one over; then `releaseWriterLock` must follow. */
export async function beginHandingOver(sql: Queryable): Promise<boolean> {
  if (!(await isUneven(sql))) return false;
  const [lock] = await sql<{ taken: boolean }[]>`
    SELECT pg_try_advisory_lock(${LOCK_CLASS.handingOver}, 0) AS taken`;
  if (!lock?.taken) return false;
  // The chain handed over before this one counts only now.
  if (await isUneven(sql)) return true;
  await sql`SELECT pg_advisory_unlock(${LOCK_CLASS.handingOver}, 0)`;
  return false;
}

/** Keeps the writer's session alive; called well within `WRITER_SILENCE_MS`. */
export async function keepWriterLock(sql: Queryable): Promise<void> {
  await sql`SELECT`;
}

/** Releases the writer's lock. */
export async function releaseWriterLock(sql: Queryable): Promise<void> {
  await sql`SELECT pg_advisory_unlock_all()`;
}

/** Runs a writer's transaction. Throws `WriterReplacedError` unless the term lasts. On several servers it waits for the disk. */
export async function writeAs(
  { sql, term }: TermWriter,
  write: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  await sql.begin(async (transaction) => {
    const [writer] = await transaction`
      SELECT CASE WHEN is_distributed() THEN set_config('synchronous_commit', 'on', true) END
      FROM writer
      WHERE epoch = ${term.epoch} AND EXISTS (
        SELECT 1 FROM pg_stat_get_activity(${term.pid}) WHERE backend_start = ${term.begun}::text::timestamptz)
      FOR SHARE`;
    if (!writer) throw new WriterReplacedError();
    await write(transaction);
  });
}

/** Returns whether a process that writes fewer chains is standby for the chain. */
function isAnothersTurn(sql: Queryable) {
  return hasRows(sql`
    WITH ${sessionsAndProcesses(sql)}
    SELECT FROM others, own WHERE others.chains < own.chains`);
}

/** Returns whether a standby for the chain writes two chains fewer, and waits for no chain without a writer. */
function isUneven(sql: Queryable) {
  return hasRows(sql<{ chains: number }[]>`
    WITH ${sessionsAndProcesses(sql)}
    SELECT others.chains FROM others, own WHERE others.chains <= own.chains - 2 AND NOT EXISTS (
      SELECT 1 FROM sessions free WHERE free.process = others.process
        AND NOT EXISTS (SELECT 1 FROM sessions writer WHERE writer.schema = free.schema AND writer.writes))`);
}

/** Returns queries of a WITH: the `own` process, and the `others` on standby for its chain, with the number of chains that each writes. */
function sessionsAndProcesses(sql: Queryable) {
  return sql`
    sessions AS (
      SELECT lock.objid AS schema, lock.classid = ${LOCK_CLASS.writer} AS writes, lock.pid,
        activity.application_name AS process,
        activity.state_change BETWEEN now() - ${SILENCE}::interval AND now() + ${SILENCE}::interval AS speaks
      FROM pg_locks lock JOIN pg_stat_activity activity USING (pid)
      WHERE lock.locktype = 'advisory' AND lock.classid IN (${LOCK_CLASS.writer}, ${LOCK_CLASS.standby})
        AND lock.granted AND activity.datname = current_database() AND lock.database = activity.datid),
    processes AS (
      SELECT process, count(*) FILTER (WHERE writes) AS chains FROM sessions GROUP BY process),
    own AS (
      SELECT processes.* FROM processes
      WHERE process = (SELECT DISTINCT process FROM sessions WHERE pid = pg_backend_pid())),
    others AS (
      SELECT processes.* FROM processes JOIN sessions USING (process)
      WHERE sessions.schema = current_schema()::regnamespace::oid AND NOT sessions.writes AND sessions.speaks
        AND process <> (SELECT process FROM own))`;
}

/** Returns the second key of the schema's locks. */
function ownSchema(sql: Queryable) {
  return sql`current_schema()::regnamespace::oid::bigint::bit(32)::int`;
}
