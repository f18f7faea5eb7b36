import { existsSync, rmSync, statfsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pino from "pino";
import type { TestProject } from "vitest/node";
import { createSql } from "../../src/db/client.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { isAlive } from "../../src/process/child.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Superuser URL of the server that all tests share. */
    postgresUrl: string;
    /** Superuser URLs of the servers that it spreads tables over; none in most suites. */
    workerUrls: string[];
  }
}

/** The migrated database that `createTestDatabase` clones. */
export const TEMPLATE = "periscope_template";
const FOLDER_PREFIX = "periscope-test-";
/** A file system in memory: a database costs 0.02 s of processor time there, 0.2 to 0.6 s on a disk. */
const SHARED_MEMORY = "/dev/shm";
/** More than the server of a run writes. */
const ENOUGH_BYTES = 4e9;

/** Starts the one PostgreSQL server of a test run and migrates the template; the returned function removes both. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const folder = await mkdtemp(path.join(homes()[0], `${FOLDER_PREFIX}${process.pid}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // An interrupted run ends without its teardown; the server ends by itself then.
  process.once("exit", remove);
  const server = await startEmbeddedPostgres({
    folder: path.join(folder, "postgres"),
    log: pino({ level: "silent" }),
    durable: false,
  });
  await createTemplate(server.url);
  project.provide("postgresUrl", server.url);
  project.provide("workerUrls", []);
  return async () => {
    await server.stop();
    process.off("exit", remove);
    remove();
  };
}

async function createTemplate(serverUrl: string): Promise<void> {
  const admin = createSql(serverUrl, { connections: 1 });
  await admin`CREATE DATABASE ${admin(TEMPLATE)}`;
  // By default a log-in hashes the password 4,096 times: 3 ms of the client for each connection.
  await admin`SET scram_iterations = 1`;
  await admin.unsafe(`ALTER ROLE CURRENT_USER PASSWORD '${new URL(serverUrl).password}'`);
  await admin.end();
  const templateUrl = new URL(serverUrl);
  templateUrl.pathname = TEMPLATE;
  const template = createSql(templateUrl.href, { connections: 2 });
  await migrate(template);
  await template.end();
}

/** Returns the folders for a server's files, the best first. */
function homes(): [string, ...string[]] {
  if (!existsSync(SHARED_MEMORY)) return [os.tmpdir()];
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  const isRoomy = bavail * bsize >= ENOUGH_BYTES && os.freemem() >= ENOUGH_BYTES;
  return isRoomy ? [SHARED_MEMORY, os.tmpdir()] : [os.tmpdir(), SHARED_MEMORY];
}

/** Folders of runs that were killed; their servers ended with them. */
async function removeLeftovers(): Promise<void> {
  for (const home of homes()) {
    for (const name of await readdir(home)) {
      const pid = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
      if (pid === undefined || isAlive(Number(pid))) continue;
      await rm(path.join(home, name), { recursive: true, force: true });
    }
  }
}
