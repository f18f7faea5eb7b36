import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { sleep } from "../../../src/core/async.ts";
import { freePort } from "../../../src/process/free-port.ts";

/** Periscope as `npm start` runs it, in a process of its own. */
export interface Product {
  /** `http://127.0.0.1:port`. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export interface ProductOptions {
  /** Environment of the process, besides the port. */
  settings: Readonly<Record<string, string>>;
  /** File that its log is added to. */
  logFile: string;
  /** Folder for a CPU profile of each of its threads, written when it stops. */
  profileFolder?: string | undefined;
}

const MAIN = path.join(import.meta.dirname, "../../../src/main.ts");
const LOOK_INTERVAL_MS = 20;

/** Starts Periscope; resolves when it listens. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const port = await freePort();
  const log = openSync(options.logFile, "a");
  const profiling =
    options.profileFolder === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${options.profileFolder}`];
  const child: ChildProcess = spawn(process.execPath, [...profiling, MAIN], {
    env: { PATH: process.env["PATH"], PORT: String(port), ...options.settings },
    stdio: ["ignore", log, "inherit"],
  });
  const ended = once(child, "exit");
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`Periscope ended: see ${options.logFile}`);
    await sleep(LOOK_INTERVAL_MS);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = net.connect({ host: "127.0.0.1", port });
  const connected = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}
