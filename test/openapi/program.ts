import { execFile } from "node:child_process";
import path from "node:path";

/** Output and exit of a program. */
export interface Ending {
  exitCode: number;
  /** Standard output and error. */
  text: string;
}

const PROGRAMS = path.join(import.meta.dirname, "node_modules/.bin");
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Runs one of the installed programs, or another one by its path, in `folder`. */
export function runProgram(name: string, args: readonly string[], folder: string): Promise<Ending> {
  const file = path.isAbsolute(name) ? name : path.join(PROGRAMS, name);
  return new Promise((resolve) => {
    execFile(
      file,
      [...args],
      { cwd: folder, maxBuffer: MOST_OUTPUT, env: { ...process.env, REDOCLY_TELEMETRY: "off" } },
      (error, stdout, stderr) =>
        resolve({ exitCode: error ? Number(error.code ?? 1) : 0, text: stdout + stderr }),
    );
  });
}
