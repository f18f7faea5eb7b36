import { StoreError } from "../core/errors.ts";
import type { Queryable, Transaction } from "../db/client.ts";

/** Any constant that no other advisory lock here has. The schema's oid keeps the chains of a database apart. */
const LOCK_CLASS = 722_041_500;

/** Another indexer has become the writer. This one must stop writing at once and stand by. */
export class WriterReplacedError extends StoreError {
  constructor() {
    super("writer-replaced", "another indexer writes to this database now");
  }
}

/**
 * Tries to become the writer of the client's schema. The lock lives as long as the database session of `sql`, so the
 * client must have one connection that is not recycled. Gives the writer's epoch, or undefined while another writer
 * holds the lock.
 */
export async function takeWriterLock(sql: Queryable): Promise<number | undefined> {
  const [lock] = await sql<{ taken: boolean }[]>`
    SELECT pg_try_advisory_lock(${LOCK_CLASS}, current_schema()::regnamespace::oid::bigint::bit(32)::int) AS taken`;
  if (!lock?.taken) return undefined;
  const [writer] = await sql<{ epoch: number }[]>`
    UPDATE writer SET epoch = epoch + 1 RETURNING epoch`;
  if (!writer) throw new StoreError("writer-missing", "the table writer has lost its row");
  return writer.epoch;
}

/**
 * Throws `WriterReplacedError` unless the epoch is the current one. It stays current until the transaction ends: a new
 * writer waits for that.
 */
export async function assertWriter(sql: Transaction, epoch: number): Promise<void> {
  const [writer] = await sql`SELECT FROM writer WHERE epoch = ${epoch} FOR SHARE`;
  if (!writer) throw new WriterReplacedError();
}
