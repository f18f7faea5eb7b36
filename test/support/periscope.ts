import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, readlink, rm } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { sleep } from "../../src/core/async.ts";

/** The program of `npm start`, as a separate process. */
export interface Periscope {
  process: ChildProcess;
  /** The record that says that the first synchronisation is done. Rejects when the process ends before. */
  ready: Promise<Ready>;
  /** Everything it wrote to standard error so far, failures as a terminal shows them. */
  complaints(): string;
  /** Everything it logged so far. */
  messages(): string[];
  /** Sends a signal and waits for the end; the exit code, or the signal that it died of. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  ended: Promise<number | NodeJS.Signals>;
}

/** The served URLs. */
export interface Ready {
  api: string;
  etherscan: string;
  /** The embedded chain, if there is one. */
  chain?: string;
  try: string[];
}

const MAIN = path.join(import.meta.dirname, "../../src/main.ts");

/** Starts Periscope on a free port with these settings only, by a command line: Node and the sources by default. */
export function startPeriscope(
  settings: Readonly<Record<string, string>>,
  [command, ...args]: readonly [string, ...string[]] = [process.execPath, MAIN],
): Periscope {
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], PORT: "0", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A failed test may have left it running; its children end with it.
  const kill = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", kill);
  const messages: string[] = [];
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const ended = once(child, "close").then(([code, signal]) => {
    process.off("exit", kill);
    return (code ?? signal) as number;
  });
  const logged = new Promise<Ready>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const record = JSON.parse(line) as Ready & { msg: string };
      messages.push(record.msg);
      if (record.msg === "ready") resolve(record);
    });
  });
  const ready = Promise.race([
    logged,
    ended.then((how) => {
      throw new Error(`Periscope ended with ${how} before it was ready: ${readable(complaints)}`);
    }),
  ]);
  // Tests that expect a failure do not look at it.
  ready.catch(() => {});
  return {
    process: child,
    ready,
    complaints: () => readable(complaints),
    messages: () => messages,
    end: (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
    ended,
  };
}

/** Failures as a terminal shows them. */
function readable(complaints: string): string {
  return complaints.replaceAll(
    /^\{"level":"fatal".*\}$/gm,
    (line) => `periscope: ${(JSON.parse(line) as { msg: string }).msg}`,
  );
}

/**
 * Removes the data folder of processes that have ended. Their children may still be ending, and
 * write until then: an initdb of an interrupted start, a PostgreSQL of a killed one.
 */
export async function removeData(folder: string): Promise<void> {
  while (await isUsed(folder)) await sleep(20);
  await rm(folder, { recursive: true, force: true });
}

/** Returns whether a process works in a folder, or was started with its name. */
async function isUsed(folder: string): Promise<boolean> {
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(
    processes.flatMap((id) => [
      readlink(`/proc/${id}/cwd`).catch(() => ""),
      readFile(`/proc/${id}/cmdline`, "utf8").catch(() => ""),
    ]),
  );
  return places.some((place) => place.includes(folder));
}
