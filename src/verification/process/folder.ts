import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isAlive } from "../../process/child.ts";

const PREFIX = "periscope-compiler-";
/** Identifies the process: in a container every process has the same number, but another start time. */
const OWNER = `${process.pid}-${Math.round(performance.timeOrigin)}`;
const NAME = new RegExp(`^${PREFIX}((\\d+)-\\d+)-`);

/** Creates an empty folder for a worker process in the folder of temporary files. */
export async function createWorkerFolder(): Promise<string> {
  // Another machine on the same data may have removed it as abandoned.
  await mkdir(tmpdir(), { recursive: true });
  return await mkdtemp(path.join(tmpdir(), `${PREFIX}${OWNER}-`));
}

/** Removes a worker's folder and its files. */
export function removeWorkerFolder(folder: string): Promise<void> {
  // A killed process may write until its end.
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes the folders of killed processes. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, owner, pid] = NAME.exec(name) ?? [];
    if (owner === undefined || owner === OWNER) continue;
    if (Number(pid) !== process.pid && isAlive(Number(pid))) continue;
    await removeWorkerFolder(path.join(tmpdir(), name));
  }
}
