import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { PublicConfigError } from "../core/errors.ts";
import type { Queryable, Sql, Transaction } from "./client.ts";
import { endSharers } from "./session.ts";

const MIGRATIONS = new URL("../../migrations/", import.meta.url);
const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const MINIMUM_SERVER_VERSION = 150_000;
/** Encodings that keep every text; the second stores bytes unchanged. */
const ENCODINGS: ReadonlySet<string> = new Set(["UTF8", "SQL_ASCII"]);
/** An arbitrary constant, the same in all versions. */
const LOCK_KEY = 7_220_415_001;

/**
 * Runs the new files of `migrations/` in order, each in a transaction and by one process at a time. Returns their numbers. Throws
 * `ConfigError` for a server that is too old, a newer schema, or an edited file.
 */
export async function migrate(sql: Sql, schema = "public", folder: URL = MIGRATIONS) {
  const [server] = await sql<{ version: number; name: string; encoding: string }[]>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
      current_setting('server_encoding') AS encoding`;
  if (server && server.version < MINIMUM_SERVER_VERSION) {
    throw new PublicConfigError(
      `the database server is PostgreSQL ${server.name}; Periscope needs 15 or newer`,
    );
  }
  if (server && !ENCODINGS.has(server.encoding)) {
    throw new PublicConfigError(
      `the database keeps text as ${server.encoding}; Periscope needs one made with ENCODING 'UTF8'`,
    );
  }
  const files = await readMigrations(folder);
  const ran: number[] = [];
  for (;;) {
    const number = await sql.begin((transaction) => runNext(transaction, schema, files));
    if (number === undefined) return ran;
    ran.push(number);
  }
}

/** Runs the first missing file; returns its number, undefined without one. */
async function runNext(sql: Transaction, schema: string, files: readonly Migration[]) {
  await sql`SELECT pg_advisory_xact_lock(${LOCK_KEY})`;
  // CREATE SCHEMA IF NOT EXISTS needs the right to create even when the schema exists.
  const [found] = await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`;
  if (!found) await sql`CREATE SCHEMA ${sql(schema)}`;
  await sql`
    CREATE TABLE IF NOT EXISTS migrations (
      number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`;
  await sql`ALTER TABLE migrations ADD COLUMN IF NOT EXISTS checksum text`;
  const done = await sql<{ number: number; checksum: string | null }[]>`
    SELECT number, checksum FROM migrations`;
  const applied = new Map(done.map(({ number, checksum }) => [number, checksum]));
  const newest = files.at(-1)?.number ?? 0;
  const unknown = Math.max(0, ...applied.keys());
  if (unknown > newest) {
    throw new PublicConfigError(
      `the database was migrated to version ${unknown} by a newer Periscope; this one has version ${newest}`,
    );
  }
  for (const { number, name, checksum } of files) {
    const known = applied.get(number);
    if (known === null) {
      // The migration ran before checksums existed.
      await sql`UPDATE migrations SET checksum = ${checksum} WHERE number = ${number}`;
    } else if (known !== undefined && known !== checksum) {
      throw new PublicConfigError(
        `migration ${name} is not the file that this database was made with; install an unchanged Periscope`,
      );
    }
  }
  const next = files.find(({ number }) => !applied.has(number));
  if (!next) return undefined;
  await endWriting(sql);
  await sql.unsafe(next.text).simple();
  await sql`INSERT INTO migrations ${sql(next, "number", "name", "checksum")}`;
  return next.number;
}

/** Ends the current writer's term and transactions: it may be of an earlier version (`store/writer/writer.ts`). */
async function endWriting(sql: Transaction): Promise<void> {
  const [table] = await sql`SELECT 1 WHERE to_regclass('writer') IS NOT NULL`;
  if (!table) return;
  await endSharers(sql);
  await sql`UPDATE writer SET epoch = epoch + 1`;
}

/** Returns whether a newer version has migrated the client's schema. */
export async function isOutdated(sql: Queryable): Promise<boolean> {
  const newest = (await readMigrations(MIGRATIONS)).at(-1)?.number ?? 0;
  return (await sql`SELECT 1 FROM migrations WHERE number > ${newest}`).length > 0;
}

interface Migration {
  number: number;
  name: string;
  text: string;
  /** SHA-256 of the text, in hex. */
  checksum: string;
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      const checksum = createHash("sha256").update(text).digest("hex");
      return { number: Number(name.slice(0, 4)), name, text, checksum };
    }),
  );
}
