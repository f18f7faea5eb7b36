import { execFile } from "node:child_process";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { ConfigError, codeOf, pathFault } from "../core/errors.ts";
import { makeFolder } from "./folder-lock.ts";

/** Age of an abandoned folder: a replaced container leaves its own. */
const ABANDONED_MS = 86_400_000;

/** Creates this machine's temporary folder below `dataFolder`; warns where programs cannot run in it. Throws `ConfigError`. */
export async function prepareTemporaryFolder(dataFolder: string, log: Pick<Logger, "warn">) {
  const shared = path.join(path.resolve(dataFolder), "tmp");
  const folder = path.join(shared, os.hostname());
  const program = path.join(folder, `check-${process.pid}`);
  try {
    makeFolder(folder);
    await writeFile(program, "#!/bin/sh\n", { mode: 0o700 });
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR must be a folder that this user can write to, unlike ${dataFolder}: ${pathFault(error)}`,
      { cause: error },
    );
  }
  await promisify(execFile)(program).catch((error) => {
    if (codeOf(error) !== "EACCES") return;
    log.warn(
      "DATA_DIR is mounted noexec: Vyper and native Solidity compilers do not run; mount it without noexec",
    );
  });
  await rm(program, { force: true });
  for (const name of await readdir(shared)) {
    const other = path.join(shared, name);
    const { mtimeMs } = await stat(other).catch(() => ({ mtimeMs: Infinity }));
    if (other !== folder && Date.now() - mtimeMs > ABANDONED_MS) {
      await rm(other, { recursive: true, force: true });
    }
  }
  return folder;
}
