import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const PREFIX = "periscope-compiler-";
/** In a container every process has the same number: the time of its start tells it from the one before. */
const OWNER = `${process.pid}-${Math.round(performance.timeOrigin)}`;
const NAME = new RegExp(`^${PREFIX}((\\d+)-\\d+)-`);

/** Creates an empty folder for a worker process, among the system's temporary ones. */
export function createWorkerFolder(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), `${PREFIX}${OWNER}-`));
}

/** Removes such a folder and what is in it. */
export function removeWorkerFolder(folder: string): Promise<void> {
  // What is being killed may write until it is gone.
  return rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes the folders that processes left which were killed before they could do so. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, owner, pid] = NAME.exec(name) ?? [];
    if (owner === undefined || owner === OWNER) continue;
    if (Number(pid) !== process.pid && isRunning(Number(pid))) continue;
    await removeWorkerFolder(path.join(tmpdir(), name));
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is there, too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
