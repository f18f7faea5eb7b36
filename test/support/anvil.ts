import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

/** A running anvil. */
export interface Anvil {
  /** HTTP and WebSocket share the port: replace `http` by `ws` for the latter. */
  url: string;
  port: number;
  /** Ends the process and waits for it. */
  stop(): Promise<void>;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Path of the anvil executable that npm installed for this platform. */
function anvilBinary(): string {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  return createRequire(import.meta.url).resolve(
    `@foundry-rs/anvil-${process.platform}-${architecture}/bin/anvil`,
  );
}

/**
 * Starts anvil on a free port of loopback and waits until it listens. `args` are added to its command line
 * (`["--block-time", "1"]`). Throws with anvil's own words when it ends instead of listening.
 */
export async function startAnvil(args: readonly string[] = []): Promise<Anvil> {
  const child = spawn(anvilBinary(), ["--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  const kill = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", kill);

  async function stop(): Promise<void> {
    process.off("exit", kill);
    child.kill("SIGTERM");
    await ended;
  }

  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  const listening = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const port = /^Listening on .*:(\d+)$/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
  const port = await Promise.race([listening, ended.then(() => undefined)]);
  if (port === undefined) {
    process.off("exit", kill);
    throw new Error(`anvil ended instead of listening: ${complaint}`);
  }
  return { url: `http://127.0.0.1:${port}`, port, stop };
}
