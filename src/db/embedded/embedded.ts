import { execFile } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { sleep } from "../../core/async.ts";
import { ConfigError, StoreError } from "../../core/errors.ts";
import { type Child, isAlive, startChild } from "../../process/child.ts";
import { freePort } from "../../process/free-port.ts";
import { findBinaries, ordinaryUser } from "./binaries.ts";
import {
  CLUSTER_USER,
  type Cluster,
  dataArgument,
  dataFolder,
  prepareCluster,
  serverEnvironment,
} from "./cluster.ts";

export interface EmbeddedPostgresOptions {
  /** The folder for the cluster and its password; created when missing. */
  folder: string;
  log: Logger;
  /** True if data are synced to disk; false for tests. Default true. */
  durable?: boolean;
  signal?: AbortSignal;
}

const run = promisify(execFile);
const STOP_PATIENCE_MS = 3_000;
const LEFTOVER_PATIENCE_MS = 10_000;
const READY = "database system is ready to accept connections";
const PANIC = /PANIC: +(.*)/;
const COMPLAINT = /(?:FATAL|PANIC): +(.*)/;

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  maintenance_work_mem: "256MB",
  max_wal_size: "4GB",
  wal_compression: "pglz",
  wal_level: "minimal",
  max_wal_senders: "0",
  // A crash may lose the last blocks, never a part of one. They are indexed again.
  synchronous_commit: "off",
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
};

const NOT_DURABLE: Readonly<Record<string, string>> = { fsync: "off", full_page_writes: "off" };

/** Starts npm's PostgreSQL on a free loopback port, also as root, after stopping a leftover. Throws `ConfigError`, `StoreError`. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions) {
  const { folder, log, durable = true } = options;
  const user = await ordinaryUser(dataFolder(folder));
  const cluster = { binaries: await findBinaries(user), user, folder };
  const password = await prepareCluster(cluster, durable);
  await stopLeftover(dataFolder(folder), log);
  const { child, port, exited } = await startServer(cluster, options);
  return {
    /** Superuser URL of the database `postgres`; loopback only, with a password. */
    url: `postgres://${CLUSTER_USER}:${password}@127.0.0.1:${port}/postgres`,
    /** Resolves with a description of the cause when the server has ended. */
    exited,
    /** Ends all sessions and stops the server, with all commits on disk. */
    stop: () => child.stop(STOP_PATIENCE_MS),
  };
}

/** Stops the server of a killed process, or waits for a stopping one. Removes a lock file with another program's process id. */
async function stopLeftover(data: string, log: Logger): Promise<void> {
  const lockFile = path.join(data, "postmaster.pid");
  const pid = Number((await readFile(lockFile, "utf8").catch(() => "")).split("\n")[0]);
  if (!(pid > 0) || !isAlive(pid)) return;
  if (!(await servesFolder(pid, data))) {
    await rm(lockFile, { force: true });
    return;
  }
  log.info(`stopping the PostgreSQL server of an earlier run (process ${pid})`);
  const patience = performance.now() + LEFTOVER_PATIENCE_MS;
  process.kill(pid, "SIGINT");
  while (isAlive(pid)) {
    if (performance.now() > patience) {
      throw new ConfigError(`process ${pid} still uses the database in ${data}; end it first`);
    }
    await sleep(50);
  }
}

async function servesFolder(pid: number, data: string): Promise<boolean> {
  if (process.platform === "linux") {
    const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return workingFolder === (await realpath(data));
  }
  const { stdout } = await run("ps", ["-o", "comm=", "-p", String(pid)]).catch(() => ({
    stdout: "",
  }));
  return stdout.trim().endsWith("postgres");
}

async function startServer(
  cluster: Cluster,
  { log, durable = true, signal }: EmbeddedPostgresOptions,
): Promise<{ child: Child; port: number; exited: Promise<string> }> {
  const port = await freePort();
  const settings = { ...SETTINGS, ...(durable ? {} : NOT_DURABLE), port: String(port) };
  const ready = Promise.withResolvers<true>();
  let complaint: string | undefined;
  let isUp = false;
  let lastWords = "";
  const child = startChild({
    command: cluster.binaries.postgres,
    args: [
      ...["-D", dataArgument(cluster)],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    cwd: dataFolder(cluster.folder),
    env: serverEnvironment(),
    user: cluster.user,
    stopSignal: "INT",
    onLine: (line) => {
      log.debug(line);
      // After the start only a PANIC is about the server, which may recover from it.
      complaint = (isUp ? PANIC : COMPLAINT).exec(line)?.[1] ?? complaint;
      lastWords = line;
      if (!line.includes(READY)) return;
      [isUp, complaint] = [true, undefined];
      ready.resolve(true);
    },
  });
  const exited = child.exited.then((ending) =>
    complaint === undefined ? ending : `${complaint}; ${ending}`,
  );
  if (await child.until(ready.promise, signal)) return { child, port, exited };
  const reason = complaint ?? `${lastWords} (${await child.exited})`;
  throw new StoreError("postgres", `the embedded PostgreSQL did not start: ${reason}`);
}
