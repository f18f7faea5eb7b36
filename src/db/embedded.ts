import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  access,
  chown,
  mkdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { sleep } from "../core/async.ts";
import { ConfigError, messageOf, StoreError } from "../core/errors.ts";
import { type Child, isAlive, type OsUser, startChild } from "../process/child.ts";
import { type Binaries, findBinaries, ordinaryUser } from "./embedded-binaries.ts";

export interface EmbeddedPostgresOptions {
  /** The folder that is to hold the cluster and its password; made when missing. */
  folder: string;
  log: Logger;
  /** False for data that may be lost with the machine (tests): no fsync. Default true. */
  durable?: boolean;
  /** Ends a start that is under way. */
  signal?: AbortSignal;
}

/** A PostgreSQL server that runs as long as this process. */
export interface EmbeddedPostgres {
  /** Superuser URL of the database `postgres`; loopback only, with a password. */
  url: string;
  /** Resolves when the server has ended, asked or not, with how it ended in words. */
  readonly exited: Promise<string>;
  /** Ends all sessions and stops the server; what was committed is on disk. */
  stop(): Promise<void>;
}

const run = promisify(execFile);
const USER = "periscope";
const STOP_PATIENCE_MS = 3_500;
const LEFTOVER_PATIENCE_MS = 10_000;
const READY = "database system is ready to accept connections";

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "50",
  shared_buffers: "256MB",
  maintenance_work_mem: "256MB",
  max_wal_size: "4GB",
  wal_compression: "pglz",
  wal_level: "minimal",
  max_wal_senders: "0",
  // A crash may lose the last blocks, never tear one: they are indexed again.
  synchronous_commit: "off",
  random_page_cost: "1.1",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
};

const NOT_DURABLE: Readonly<Record<string, string>> = { fsync: "off", full_page_writes: "off" };

/**
 * Starts the PostgreSQL server that npm installed on a free port of loopback; on the first start it makes the
 * cluster, whole or not at all. Works as root too: the server then runs as an ordinary user. A server that an
 * earlier process left behind is stopped first. Throws `ConfigError` or `StoreError` with PostgreSQL's own words.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { folder, log, durable = true } = options;
  const data = path.join(folder, "data");
  const user = await ordinaryUser(data);
  const binaries = await findBinaries(user);
  await initialise(binaries, user, folder, durable);
  await checkVersion(binaries, data);
  await stopLeftover(data, log);
  const password = await readText(path.join(folder, "password"));
  const { child, port } = await startServer(binaries.postgres, user, data, options);
  return {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    exited: child.exited,
    stop: () => child.stop(STOP_PATIENCE_MS),
  };
}

/**
 * How the server is told where its data are. The ordinary user of a root process may have no right to pass through
 * the folders above (/root): the working folder, entered while still root, needs none.
 */
function dataPath(data: string, user: OsUser | undefined): string {
  return user && process.platform === "linux" ? "/proc/self/cwd" : data;
}

/** Makes the cluster beside its place and moves it there when it is complete. */
async function initialise(
  binaries: Binaries,
  user: OsUser | undefined,
  folder: string,
  durable: boolean,
): Promise<void> {
  if (await exists(path.join(folder, "data", "PG_VERSION"))) return;
  const unfinished = `${folder}.new`;
  const data = path.join(unfinished, "data");
  const passwordFile = path.join(unfinished, "password");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  if (user) {
    await Promise.all([unfinished, data, passwordFile].map((it) => chown(it, user.uid, user.gid)));
  }
  const place = dataPath(data, user);
  const lines: string[] = [];
  const initdb = startChild({
    command: binaries.initdb,
    args: [
      ...["--pgdata", place, "--username", USER, "--auth", "scram-sha-256"],
      ...["--pwfile", `${place}/../password`, "--encoding", "UTF8", "--locale", "C"],
      ...["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
      ...(durable ? [] : ["--no-sync"]),
    ],
    cwd: data,
    env: environment(),
    user,
    stopSignal: "TERM",
    onLine: (line) => lines.push(line),
  });
  const ending = await initdb.exited;
  if (ending !== "exit code 0") {
    throw new StoreError("initdb", `initdb failed (${ending}): ${lines.slice(-3).join(" ")}`);
  }
  try {
    await rename(unfinished, folder);
  } catch (error) {
    throw new ConfigError(
      `${folder} holds something that is not a database of Periscope; move it away`,
      { cause: error },
    );
  }
}

/** Server and data must be of the same major version. */
async function checkVersion(binaries: Binaries, data: string): Promise<void> {
  const version = await readText(path.join(data, "PG_VERSION"));
  if (version.trim() === binaries.majorVersion) return;
  throw new ConfigError(
    `the database in ${data} was made by PostgreSQL ${version.trim()}, this Periscope brings ` +
      `${binaries.majorVersion}; remove that folder and the chain is indexed anew`,
  );
}

/** Reads a file of the cluster; the data may belong to somebody else than the user of this process. */
async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Stops the server of an earlier process that was killed together with its watcher, and waits for one that is still
 * stopping. A lock file that names a process of somebody else (numbers are used again) is removed.
 */
async function stopLeftover(data: string, log: Logger): Promise<void> {
  const lockFile = path.join(data, "postmaster.pid");
  const pid = Number((await readFile(lockFile, "utf8").catch(() => "")).split("\n")[0]);
  if (!(pid > 0) || !isAlive(pid)) return;
  if (!(await servesFolder(pid, data))) {
    await rm(lockFile, { force: true });
    return;
  }
  log.info(`stopping the PostgreSQL server of an earlier run (process ${pid})`);
  const patience = Date.now() + LEFTOVER_PATIENCE_MS;
  process.kill(pid, "SIGINT");
  while (isAlive(pid)) {
    if (Date.now() > patience) {
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
  postgres: string,
  user: OsUser | undefined,
  data: string,
  { log, durable = true, signal }: EmbeddedPostgresOptions,
): Promise<{ child: Child; port: number }> {
  const port = await freePort();
  const settings = { ...SETTINGS, ...(durable ? {} : NOT_DURABLE), port: String(port) };
  const ready = Promise.withResolvers<true>();
  const complaints: string[] = [];
  const child = startChild({
    command: postgres,
    args: [
      ...["-D", dataPath(data, user)],
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    cwd: data,
    env: environment(),
    user,
    stopSignal: "INT",
    onLine: (line) => {
      log.debug(line);
      if (line.includes("FATAL:") || line.includes("PANIC:")) complaints.push(line);
      if (line.includes(READY)) ready.resolve(true);
    },
  });
  const stop = () => void child.stop(STOP_PATIENCE_MS);
  signal?.addEventListener("abort", stop, { once: true });
  const ending = await Promise.race([ready.promise, child.exited]);
  signal?.removeEventListener("abort", stop);
  if (ending !== true) {
    const reason = complaints.at(-1)?.replace(/^.*?(FATAL|PANIC): +/, "") ?? ending;
    throw new StoreError("postgres", `the embedded PostgreSQL did not start: ${reason}`);
  }
  return { child, port };
}

/** Nothing of the caller's environment: PGPORT, LC_ALL and their like would change what the server does. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TZ: "UTC" };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
