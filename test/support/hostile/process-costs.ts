import { readFileSync, writeFileSync } from "node:fs";

// Of Linux.

/** Processor time that the main thread of a process has used, in milliseconds. */
export function mainThreadMs(pid: number): number {
  const [ns = "0"] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
  return Number(ns) / 1e6;
}

/** Resident memory of a process now, and the most it was since `forgetPeak`, in megabytes. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) / 1024;
  return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") };
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}
