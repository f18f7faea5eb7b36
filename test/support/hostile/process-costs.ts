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

/** Duration of `slownessNow` on the machine of docs/measurements/README.md, in milliseconds. */
const REFERENCE_MS = 20;
const REFERENCE_TEXT = Buffer.from(`{"a":"${"x".repeat(20_000_000)}"}`, "latin1");

/**
 * This machine's present slowness relative to that of docs/measurements/README.md, at least 1: for copying
 * and parsing a text of 20 MB, in processor time.
 */
export function slownessNow(): number {
  const before = mainThreadMs(process.pid);
  JSON.parse(Buffer.concat([REFERENCE_TEXT]).toString("latin1"));
  return Math.max(1, (mainThreadMs(process.pid) - before) / REFERENCE_MS);
}
