import { createRequire } from "node:module";
import { type Child, startChild } from "../../src/process/child.ts";
import { createJsonRpc } from "./oracle/json-rpc.ts";

/** A running development node. */
export interface DevelopmentNode {
  /** HTTP and WebSocket share the port: replace `http` by `ws` for the latter. */
  url: string;
  port: number;
  /** Ends the process and waits for it. */
  stop(): Promise<void>;
}

export interface Anvil extends DevelopmentNode {
  /**
   * Restarts it on its port, with an empty chain, when it has stopped answering: it may lock up for
   * ever when its chain is reorganised during a read (foundry-rs/foundry, issue 10452). Returns
   * whether that was needed.
   */
  revive(): Promise<boolean>;
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
  let { child, port } = await launch(["--port", "0", ...args]);
  const url = `http://127.0.0.1:${port}`;
  const stop = (): Promise<void> => child.stop(STOP_PATIENCE_MS);
  return {
    url,
    port,
    async revive() {
      if (await answers(url)) return false;
      await stop();
      ({ child, port } = await launch(["--port", String(port), ...args]));
      return true;
    },
    stop: () => stop(),
  };
}

async function launch(args: readonly string[]): Promise<{ child: Child; port: number }> {
  const { promise: listening, resolve } = Promise.withResolvers<number>();
  const lines: string[] = [];
  const child = startChild({
    command: anvilBinary(),
    args,
    stopSignal: "TERM",
    onLine: (line) => {
      const port = /^Listening on .*:(\d+)$/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
      if (lines.push(line) > 10) lines.shift();
    },
  });
  const port = await child.until(listening, undefined);
  if (port === undefined) throw new Error(`anvil ended instead of listening: ${lines.join(" ")}`);
  return { child, port };
}

async function answers(url: string): Promise<boolean> {
  try {
    await createJsonRpc(url).request("eth_blockNumber");
    return true;
  } catch {
    return false;
  }
}
