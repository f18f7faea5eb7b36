import { readFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pino from "pino";
import { createSql, type Sql } from "../../../src/db/client.ts";
import { startEmbeddedPostgres } from "../../../src/db/embedded/embedded.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { familyCpuSeconds } from "./usage.ts";

/** A PostgreSQL server as `npm start` would start it. */
export interface DatabaseServer {
  version: string;
  /** Makes an empty, migrated database. */
  create(name: string): Promise<Database>;
  /** Of all its processes, so far. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

export interface Database {
  url: string;
  sql: Sql;
  drop(): Promise<void>;
}

/** The rows of a table as one binary COPY document, in pieces. */
export interface TableDump {
  name: string;
  rows: number;
  pieces: Buffer[];
}

const PIECE_BYTES = 256 * 1024;

/** Starts the server on a folder, which it makes when it is missing. */
export async function startDatabaseServer(folder: string): Promise<DatabaseServer> {
  const server = await startEmbeddedPostgres({ folder, log: pino({ level: "silent" }) });
  const lock = await readFile(path.join(folder, "data", "postmaster.pid"), "utf8");
  const pid = Number(lock.split("\n")[0]);
  const admin = createSql(server.url, { connections: 1 });
  const [row] = await admin<[{ version: string }]>`
    SELECT current_setting('server_version') AS version`;
  return {
    version: row.version,
    cpuSeconds: () => familyCpuSeconds(pid),
    async create(name) {
      const [known] = await admin`SELECT FROM pg_database WHERE datname = ${name}`;
      if (!known) await admin`CREATE DATABASE ${admin(name)}`;
      const url = new URL(server.url);
      url.pathname = name;
      const sql = createSql(url.href, { connections: 4 });
      await migrate(sql);
      return {
        url: url.href,
        sql,
        async drop() {
          await sql.end({ timeout: 1 });
          await admin`DROP DATABASE ${admin(name)} WITH (FORCE)`;
        },
      };
    },
    async stop() {
      await admin.end({ timeout: 1 });
      await server.stop();
    },
  };
}

/** Number of rows of every table that has any, but for the program's own bookkeeping. */
export async function countRows(sql: Sql): Promise<Map<string, number>> {
  const tables = await sql<{ name: string }[]>`
    SELECT relname AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND relname NOT IN ('migrations', 'writer', 'sync_state', 'indexer_status')
    ORDER BY 1`;
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await sql<[{ count: number }]>`SELECT count(*) FROM ${sql(name)}`;
    if (row.count > 0) counts.set(name, row.count);
  }
  return counts;
}

/** Reads the rows of the tables as they are to be written again. */
export async function dumpTables(
  sql: Sql,
  counts: ReadonlyMap<string, number>,
): Promise<TableDump[]> {
  const dumps: TableDump[] = [];
  for (const [name, rows] of counts) {
    const pieces: Buffer[] = [];
    let open: Buffer[] = [];
    let openBytes = 0;
    for await (const row of await sql`COPY ${sql(name)} TO STDOUT (FORMAT binary)`.readable()) {
      open.push(row);
      openBytes += row.length;
      if (openBytes < PIECE_BYTES) continue;
      pieces.push(Buffer.concat(open));
      open = [];
      openBytes = 0;
    }
    pieces.push(Buffer.concat(open));
    dumps.push({ name, rows, pieces });
  }
  return dumps;
}

/** Copies the dumps into tables with all their indexes, one after the other over one connection. */
export async function copyTables(sql: Sql, dumps: readonly TableDump[]): Promise<void> {
  const connection = await sql.reserve();
  for (const { name, pieces } of dumps) {
    const target = await connection`COPY ${connection(name)} FROM STDIN (FORMAT binary)`.writable();
    await pipeline(Readable.from(pieces), target);
  }
  connection.release();
}

/** Bytes on disk of everything in the database. */
export async function databaseBytes(sql: Sql): Promise<number> {
  const [row] = await sql<[{ bytes: number }]>`
    SELECT pg_database_size(current_database()) AS bytes`;
  return row.bytes;
}
