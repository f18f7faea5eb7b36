import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConfigError, messageOf } from "../core/errors.ts";

/**
 * Claims a folder for this process and creates it when missing; the returned function releases it. The claim ends with
 * the process in any case: it is the operating system's lock on a file, taken through SQLite since Node has no call for
 * it. Throws `ConfigError` when another process holds the folder or it is not writable.
 */
export function lockFolder(folder: string): () => void {
  const ownerFile = path.join(folder, "owner.pid");
  const lock = openLock(folder);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    throw new ConfigError(
      `Periscope is running already in ${folder} (process ${ownerOf(ownerFile)}); ` +
        "stop it first, or set DATA_DIR and PORT for a second one",
      { cause: error },
    );
  }
  writeFileSync(ownerFile, String(process.pid));
  return () => lock.close();
}

function openLock(folder: string): DatabaseSync {
  try {
    mkdirSync(folder, { recursive: true });
    return new DatabaseSync(path.join(folder, "lock"), { timeout: 0 });
  } catch (error) {
    throw new ConfigError(`cannot write to the folder ${folder}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function ownerOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "unknown";
  }
}
