import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConfigError, pathFault } from "../core/errors.ts";

/** SQLite's code for a lock that another process holds. */
const SQLITE_BUSY = 5;

/** Claims a folder by a lock of the system (through SQLite); returns the release. Throws `ConfigError`. */
export function lockFolder(folder: string): () => void {
  const ownerFile = path.join(folder, "owner.pid");
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(path.resolve(folder));
    // SQLite does not report why it cannot open its file.
    accessSync(folder, constants.W_OK);
    lock = new DatabaseSync(path.join(folder, "lock"), { timeout: 0 });
    lock.exec("BEGIN EXCLUSIVE");
    writeFileSync(ownerFile, String(process.pid));
  } catch (error) {
    lock?.close();
    const message =
      (error as { errcode?: number }).errcode === SQLITE_BUSY
        ? `Periscope is running already in ${folder} (process ${describeOwner(ownerFile)}); ` +
          "stop it first, or set DATA_DIR and PORT for a second one"
        : `DATA_DIR must be a folder that this user can write to, unlike ${folder}: ${pathFault(error)}`;
    throw new ConfigError(message, { cause: error });
  }
  const held = lock;
  return () => held.close();
}

/** Creates a folder and its parents. Node's recursive mkdir never returns if the file system refuses folders, as below /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  // Another process may have created it.
  if (!existsSync(folder)) mkdirSync(folder);
}

function describeOwner(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "unknown";
  }
}
