import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chown, mkdir, readFile, rename, rm, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { ConfigError, messageOf, StoreError } from "../../core/errors.ts";
import { type OsUser, startChild } from "../../process/child.ts";
import type { Binaries } from "./binaries.ts";

/** The superuser of the cluster. */
export const CLUSTER_USER = "periscope";

/** Disk space of an empty cluster with its first write-ahead log. */
const CLUSTER_MEGABYTES = 50;

/** An embedded server's folder and user. */
export interface Cluster {
  binaries: Binaries;
  /** Undefined: the user of this process. */
  user: OsUser | undefined;
  /** Holds the data and the password. */
  folder: string;
}

/** Returns PostgreSQL's data directory in a folder. */
export function dataFolder(folder: string): string {
  return path.join(folder, "data");
}

/** Creates the cluster unless it exists, whole or not at all; returns its password. Throws `ConfigError`, and `StoreError` by initdb. */
export async function prepareCluster(cluster: Cluster, durable: boolean): Promise<string> {
  if (!existsSync(path.join(dataFolder(cluster.folder), "PG_VERSION"))) {
    await initialise(cluster, durable);
  }
  await checkVersion(cluster);
  return readText(path.join(cluster.folder, "password"));
}

/** Returns the path of the data for the server, relative to its working folder: its user may have no access to the folders above. */
export function dataArgument({ user, folder }: Omit<Cluster, "binaries">): string {
  return user && process.platform === "linux" ? "/proc/self/cwd" : dataFolder(folder);
}

/** Returns the server's environment, without the caller's: PGPORT, LC_ALL and others would change the server. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TZ: "UTC" };
}

/** Creates the cluster in a neighbouring folder and moves it into place when complete. */
async function initialise({ binaries, user, folder }: Cluster, durable: boolean): Promise<void> {
  const unfinished = `${folder}.new`;
  const data = dataFolder(unfinished);
  const passwordFile = path.join(unfinished, "password");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  if (user) {
    await Promise.all([unfinished, data, passwordFile].map((it) => chown(it, user.uid, user.gid)));
  }
  const place = dataArgument({ user, folder: unfinished });
  const lines: string[] = [];
  const initdb = startChild({
    command: binaries.initdb,
    args: [
      ...["--pgdata", place, "--username", CLUSTER_USER, "--auth", "scram-sha-256"],
      ...["--pwfile", `${place}/../password`, "--encoding", "UTF8", "--locale", "C"],
      ...["--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
      ...(durable ? [] : ["--no-sync"]),
    ],
    cwd: data,
    env: serverEnvironment(),
    user,
    stopSignal: "TERM",
    onLine: (line) => lines.push(line),
  });
  const ending = await initdb.exited;
  if (ending !== "exit code 0") {
    await requireSpace(unfinished);
    throw new StoreError("initdb", `initdb failed (${ending}): ${lines.slice(-6).join(" ")}`);
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

/** Checks the disk space after initdb removed its output. */
async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = Math.floor((bavail * bsize) / 1e6);
  if (free >= CLUSTER_MEGABYTES) return;
  throw new ConfigError(
    `the embedded PostgreSQL needs ${CLUSTER_MEGABYTES} MB in DATA_DIR to begin with, but its disk has ${free} MB left; ` +
      "free some of it, or set DATA_DIR to a folder elsewhere",
  );
}

/** Checks that server and data have the same major version. */
async function checkVersion({ binaries, folder }: Cluster): Promise<void> {
  const version = await readText(path.join(dataFolder(folder), "PG_VERSION"));
  if (version.trim() === binaries.majorVersion) return;
  throw new ConfigError(
    `the database in ${folder} was made by PostgreSQL ${version.trim()}, this Periscope brings ` +
      `${binaries.majorVersion}; remove that folder to index the chain again`,
  );
}

/** Reads a file of the cluster, whose owner may be another user than this process. */
async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}
