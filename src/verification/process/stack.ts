import { readFile } from "node:fs/promises";

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
