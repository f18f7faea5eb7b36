import { readdir, readFile } from "node:fs/promises";
import { ConfigError } from "../core/errors.ts";
import type { Sql } from "./client.ts";

const MIGRATIONS = new URL("../../migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const MINIMUM_SERVER_VERSION = 150_000;
/** Any constant will do: it only has to be the same in every Periscope. */
const LOCK_KEY = 7_220_415_001;

/**
 * Brings the client's schema to the newest version: runs the numbered files of `migrations/` that have not run yet,
 * each in a transaction of its own, in order. Several processes may call it at once; all but one wait. Creates the
 * schema when it is missing. Returns the numbers that ran. Throws `ConfigError` when the server is older than
 * PostgreSQL 15 or the schema is newer than this program.
 */
export async function migrate(sql: Sql, schema = "public"): Promise<number[]> {
  const [server] = await sql<{ version: number; name: string }[]>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name`;
  if (server && server.version < MINIMUM_SERVER_VERSION) {
    throw new ConfigError(
      `the database server is PostgreSQL ${server.name}; Periscope needs 15 or newer`,
    );
  }
  const files = await migrationFiles();
  const connection = await sql.reserve();
  try {
    await connection`SELECT pg_advisory_lock(${LOCK_KEY})`;
    try {
      // Asked first: IF NOT EXISTS still wants the right to create.
      const [found] = await connection`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`;
      if (!found) await connection`CREATE SCHEMA ${connection(schema)}`;
      await connection`
        CREATE TABLE IF NOT EXISTS migrations (
          number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;
      const done = await connection<{ number: number }[]>`SELECT number FROM migrations`;
      const applied = new Set(done.map((row) => row.number));
      const newest = files.at(-1)?.number ?? 0;
      const unknown = Math.max(0, ...applied);
      if (unknown > newest) {
        throw new ConfigError(
          `the database was migrated to version ${unknown} by a newer Periscope; this one knows ${newest}`,
        );
      }
      const pending = files.filter((file) => !applied.has(file.number));
      for (const { number, name } of pending) {
        const text = await readFile(new URL(name, MIGRATIONS), "utf8");
        await connection`BEGIN`;
        try {
          await connection.unsafe(text).simple();
          await connection`INSERT INTO migrations (number, name) VALUES (${number}, ${name})`;
          await connection`COMMIT`;
        } catch (error) {
          await connection`ROLLBACK`;
          throw error;
        }
      }
      return pending.map((file) => file.number);
    } finally {
      await connection`SELECT pg_advisory_unlock(${LOCK_KEY})`;
    }
  } finally {
    connection.release();
  }
}

async function migrationFiles(): Promise<{ number: number; name: string }[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => FILE_NAME.test(name)).sort();
  return names.map((name) => ({ number: Number(name.slice(0, 4)), name }));
}
