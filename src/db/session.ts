import { messageOf, PublicConfigError } from "../core/errors.ts";
import { type Queryable, type Sql, searchPathOf } from "./client.ts";

/** Returns the number of connections for users that are not administrators. */
export async function countAllowedConnections(sql: Sql): Promise<number> {
  const [allowed] = await sql<[{ count: number }]>`
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS count`;
  return allowed.count;
}

/** Returns the schema of unqualified names, null when the configured one is missing; whether it was ever migrated; and whether the server is a replica. */
export async function describeDatabase(sql: Sql) {
  const [current] = await sql<[{ schema: string | null; hasTables: boolean; isReplica: boolean }]>`
    SELECT current_schema() AS schema, to_regclass('sync_state') IS NOT NULL AS has_tables,
      pg_is_in_recovery() AS is_replica`;
  return current;
}

/** Ends sessions that hold `writer` FOR SHARE, where the role may: a stalled COPY heeds no time limit of PostgreSQL. */
export async function endSharers(sql: Queryable): Promise<void> {
  await sql`
    SELECT pg_terminate_backend(pid)
    FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE relation = 'writer'::regclass AND mode = 'RowShareLock' AND datname = current_database()
      AND pid <> pg_backend_pid() AND pg_has_role(usesysid, 'USAGE')`;
}

const POOLED =
  "DATABASE_URL leads to a pooler (PgBouncer), which keeps no session, and so no lock; " +
  "name the database itself there, and the pooler in DATABASE_READ_URL";

/** Throws `ConfigError` when the sessions are pooled. A pooler refuses unknown start-up parameters, or ignores them. */
export async function requireSession(sql: Sql, schema: string): Promise<void> {
  try {
    const [session] = await sql<{ path: string }[]>`SELECT current_setting('search_path') AS path`;
    if (session?.path === searchPathOf(schema)) return;
  } catch (error) {
    if (!/unsupported startup parameter/.test(messageOf(error))) throw error;
  }
  throw new PublicConfigError(POOLED);
}
