import { createRequire } from "node:module";
import { startChild } from "../../src/process/child.ts";

/** A running anvil. */
export interface Anvil {
  /** HTTP and WebSocket share the port: replace `http` by `ws` for the latter. */
  url: string;
  port: number;
  /** Ends the process and waits for it. */
  stop(): Promise<void>;
}

const STOP_PATIENCE_MS = 5_000;

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
  const { promise: listening, resolve } = Promise.withResolvers<number>();
  const lines: string[] = [];
  const child = startChild({
    command: anvilBinary(),
    args: ["--port", "0", ...args],
    stopSignal: "TERM",
    onLine: (line) => {
      const port = /^Listening on .*:(\d+)$/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
      if (lines.push(line) > 10) lines.shift();
    },
  });
  const port = await child.until(listening, undefined);
  if (port === undefined) throw new Error(`anvil ended instead of listening: ${lines.join(" ")}`);
  return { url: `http://127.0.0.1:${port}`, port, stop: () => child.stop(STOP_PATIENCE_MS) };
}
