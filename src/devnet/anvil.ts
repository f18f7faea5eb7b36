import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Logger } from "pino";
import { ConfigError, codeOf, messageOf } from "../core/errors.ts";
import { type Hex, hexToBytes } from "../core/evm/hex.ts";
import { startChild } from "../process/child.ts";
import { freePort } from "../process/free-port.ts";
import { withOwnFirstBlock } from "./first-block.ts";
import type { Rpc } from "./rpc.ts";

export const DEVNET_CHAIN_ID = 31_337;

/** A development node. */
export type Anvil = Awaited<ReturnType<typeof launchAt>>;

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const gunzip = promisify(zlib.gunzip);
const STATE_FILE = "state.json.gz";
const STOP_PATIENCE_MS = 1_500;
/** The usual port of a development node. */
const USUAL_PORT = 8545;

/** Starts anvil on port 8545 or a free one, with the kept chain, or a new one when that is unreadable. Throws `ConfigError`. */
export async function startAnvil(folder: string, log: Logger, signal: AbortSignal): Promise<Anvil> {
  const binary = anvilBinary();
  await mkdir(folder, { recursive: true });
  const saved = path.join(folder, STATE_FILE);
  const unpacked = path.join(folder, "state.json");
  try {
    await writeFile(unpacked, withOwnFirstBlock(await gunzip(await readFile(saved))));
    return await launch(binary, ["--load-state", unpacked], log, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (codeOf(error) !== "ENOENT") {
      // A full disk or a missing right does not mean an unreadable chain.
      if (error instanceof Error && "syscall" in error) {
        throw new ConfigError(`the kept chain cannot be unpacked: ${messageOf(error)}`);
      }
      await rename(saved, `${saved}.unreadable`);
      log.warn(`cannot read the saved chain; starting a new one:  ${messageOf(error)}`);
    }
    return await launch(binary, [], log, signal);
  } finally {
    await rm(unpacked, { force: true });
  }
}

/** Saves blocks, transactions and the newest state in `folder`, replacing the last save. */
export async function saveState(rpc: Rpc, folder: string): Promise<void> {
  const compressed = hexToBytes(await rpc<Hex>("anvil_dumpState", false));
  const file = path.join(folder, STATE_FILE);
  await writeFile(`${file}.new`, compressed);
  await rename(`${file}.new`, file);
}

async function launch(binary: string, args: readonly string[], log: Logger, signal: AbortSignal) {
  try {
    return await launchAt(await freePort(USUAL_PORT), binary, args, log, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    // Another process may have taken the port meanwhile.
    return await launchAt(0, binary, args, log, signal);
  }
}

async function launchAt(
  port: number,
  binary: string,
  args: readonly string[],
  log: Logger,
  signal: AbortSignal,
) {
  const listening = Promise.withResolvers<string>();
  const lastLines: string[] = [];
  const child = startChild({
    command: binary,
    args: [
      ...["--port", String(port), "--chain-id", String(DEVNET_CHAIN_ID)],
      // Old states on disk would grow without bound; the newest five hundred are in memory.
      ...["--max-persisted-states", "0"],
      ...args,
    ],
    stopSignal: "TERM",
    onLine: (line) => {
      const address = /^Listening on (.*)$/.exec(line)?.[1];
      if (address !== undefined) listening.resolve(`http://${address}`);
      lastLines.push(line);
      if (lastLines.length > 5) lastLines.shift();
    },
  });
  const url = await child.until(listening.promise, signal);
  if (url === undefined) throw new Error(`anvil did not start: ${lastLines.join(" ").trim()}`);
  log.debug(`anvil listens on ${url}`);
  // WebSocket has the same port.
  return { url, exited: child.exited, stop: () => child.stop(STOP_PATIENCE_MS) };
}

function anvilBinary(): string {
  const platform = `${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${platform}/bin/anvil`);
  } catch (error) {
    throw new ConfigError(
      `no embedded chain is installed for ${platform} (package @foundry-rs/anvil); ` +
        "run npm ci without --omit=optional, or set RPC_URL to a node of yours",
      { cause: error },
    );
  }
}
