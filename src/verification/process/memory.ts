import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

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
