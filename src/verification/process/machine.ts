import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
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

const PAGE_BYTES = 4096;

/** Returns the resident memory in bytes of a process and its descendants; 0 after its end. */
export async function residentBytes(pid: number): Promise<number> {
  return process.platform === "linux" ? residentOnLinux(pid) : residentByPs(pid);
}

async function residentOnLinux(pid: number): Promise<number> {
  const [statm, children] = await Promise.all([
    readOrEmpty(`/proc/${pid}/statm`),
    readOrEmpty(`/proc/${pid}/task/${pid}/children`),
  ]);
  const own = Number(statm.split(" ")[1] ?? 0) * PAGE_BYTES;
  const pids = children.split(" ").filter(Boolean).map(Number);
  const below = await Promise.all(pids.map(residentOnLinux));
  return below.reduce((sum, bytes) => sum + bytes, own);
}

/** Reads a file of /proc; empty after the process's end. */
function readOrEmpty(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

async function residentByPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-axo", "pid=,ppid=,rss="]);
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const sum = (parent: number): number =>
    rows
      .filter(([, ppid]) => ppid === parent)
      .reduce(
        (bytes, [child, , kilobytes]) => bytes + (kilobytes ?? 0) * 1024 + sum(child ?? -1),
        0,
      );
  return sum(pid) + (rows.find(([row]) => row === pid)?.[2] ?? 0) * 1024;
}

/** Stack that compilers need to reach their own depth limits, beyond V8's 984 KB. */
const WANTED_KB = 3900;
/** Stack beside the frames that V8 counts. */
const REST_KB = 256;

/** Returns V8's stack size: beyond the system's limit it would die of SIGSEGV. Systems other than Linux have 8 MB. */
export async function stackKilobytes(): Promise<number> {
  if (process.platform !== "linux") return WANTED_KB;
  const [, bytes] =
    /^Max stack size +(\d+)/m.exec(await readFile("/proc/self/limits", "utf8")) ?? [];
  return Math.min(WANTED_KB, Math.floor(Number(bytes ?? Infinity) / 1024) - REST_KB);
}
