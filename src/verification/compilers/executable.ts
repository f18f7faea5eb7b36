import { spawn } from "node:child_process";

/** Output and exit of a program. */
export interface Run {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it. */
  exitCode: number | null;
}

const MAX_ERROR_BYTES = 65_536;

/** Thrown when a program exceeds its output limit. */
export class OutputTooLarge extends Error {}

/** Runs an executable without a shell, with TMPDIR alone. Throws `OutputTooLarge`, or the system's error. */
export function runExecutable(
  file: string,
  args: readonly string[],
  input: string,
  maxOutputBytes: number,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    // Vyper's releases unpack themselves there, and leave the files behind when they are killed.
    const env = { TMPDIR: process.cwd() };
    const child = spawn(file, args, { env, stdio: "pipe" });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    let size = 0;
    let errorSize = 0;
    child.stdout.on("data", (bytes: Buffer) => {
      size += bytes.length;
      if (size <= maxOutputBytes) return stdout.push(bytes);
      child.kill("SIGKILL");
      // Its children may keep writing; they end with this process.
      child.stdout.destroy();
      return reject(new OutputTooLarge());
    });
    child.stderr.on("data", (bytes: Buffer) => {
      errorSize += bytes.length;
      if (errorSize <= MAX_ERROR_BYTES) stderr.push(bytes);
    });
    child.on("error", reject);
    child.on("close", (exitCode) => {
      const [out, error] = [stdout, stderr].map((parts) => Buffer.concat(parts).toString("utf8"));
      resolve({ stdout: out ?? "", stderr: error ?? "", exitCode });
    });
    // The program may end before it has read everything.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
