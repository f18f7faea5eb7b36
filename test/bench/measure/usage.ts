import { readdir, readFile } from "node:fs/promises";

/** Clock ticks a second: 100 on every Linux. */
const TICKS = 100;

/** CPU seconds that a process has used so far, by all its threads; its ended children included. Linux only. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statFields(pid);
  // proc_pid_stat(5): utime, stime, cutime, cstime are the fields 14 to 17; those behind the name begin with field 3.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}

/** CPU seconds of a process and of all that it started, running or ended. */
export async function familyCpuSeconds(pid: number): Promise<number> {
  const children = await childrenOf(pid);
  const seconds = await Promise.all(
    [pid, ...children].map((one) => cpuSeconds(one).catch(() => 0)),
  );
  return seconds.reduce((sum, one) => sum + one, 0);
}

/** Most memory that a process ever had resident, in bytes. */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Memory that a process has resident now, in bytes. */
export async function memory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const parents = await Promise.all(
    pids.map((pid) =>
      statFields(pid)
        .then((fields) => Number(fields[1]))
        .catch(() => 0),
    ),
  );
  return pids.filter((_, index) => parents[index] === parent);
}

async function statFields(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
