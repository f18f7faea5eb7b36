import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";

/** How a client program ended and what it wrote. */
export interface Ending {
  code: number | null;
  /** Standard output alone. */
  output: string;
  /** Both streams, without colours. */
  said: string;
}

/** A scratch folder for client programs. It is also their home: they keep in there what an explorer answered. */
export interface Scratch {
  folder: string;
  /** Runs a program to its end, in `folder` unless another one is named. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<Ending>;
  remove(): void;
}

interface RunOptions {
  folder?: string;
  environment?: Readonly<Record<string, string>>;
}

/** Creates the folder. */
export function createScratch(): Scratch {
  const scratch = mkdtempSync(path.join(os.tmpdir(), "periscope-clients-"));
  return {
    folder: scratch,
    run: (command, args, { folder = scratch, environment = {} } = {}) =>
      run(command, args, folder, {
        PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}`,
        HOME: scratch,
        CI: "true",
        NO_COLOR: "1",
        HARDHAT_DISABLE_TELEMETRY_PROMPT: "true",
        ...environment,
      }),
    remove: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

async function run(
  command: string,
  args: readonly string[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<Ending> {
  const child = spawn(command, args, {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output: output.trim(), said: stripVTControlCharacters(output + errors) };
}

/** Path of something that the package of the clients installed. */
export function installed(...parts: string[]): string {
  return path.join(import.meta.dirname, "node_modules", ...parts);
}

/** Runs one of the programs of the folder `programs`; returns its output. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever is printed
export async function runProgram(scratch: Scratch, program: string, args: string[]): Promise<any> {
  const file = path.join(import.meta.dirname, "programs", program);
  const { output, said, code } = await scratch.run(process.execPath, [file, ...args]);
  if (code !== 0) throw new Error(said);
  return JSON.parse(output);
}
