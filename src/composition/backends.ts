import path from "node:path";
import type { Logger } from "pino";
import { type Secrets, secretsOfDatabaseUrl } from "../core/secrets.ts";
import type { Shutdown } from "../core/shutdown.ts";
import { startEmbeddedPostgres } from "../db/embedded/embedded.ts";
import { DEVNET_CHAIN_ID } from "../devnet/anvil.ts";
import { type Devnet, startDevnet } from "../devnet/devnet.ts";
import { lockFolder } from "../process/folder-lock.ts";
import type { Config } from "../settings/config.ts";
import type { LabelFiles } from "../settings/labels-file.ts";

/** Resources that the parts share with their process. */
export interface ProcessContext {
  log: Logger;
  /** Secrets to redact from the log and the messages of the process. */
  secrets: Secrets;
  /** Aborted when the process is asked to end; also ends a start. */
  signal: AbortSignal;
  /** Parts register their closers here; closing runs them in reverse order. */
  shutdown: Shutdown;
  labelFiles: LabelFiles;
  /** Called with a sentence when the process cannot continue. */
  onFatal(reason: string): void;
}

/** Connection data of a chain. */
export interface ChainEndpoint {
  rpcUrls: readonly string[];
  webSocketUrl: string | undefined;
  /** The embedded chain; null with a node of the user's. */
  devnet: Devnet | null;
  /** Undefined when only the node has it. */
  chainId: number | undefined;
}

/** The database and the chain: those of the settings, or the embedded ones. */
export interface Backends {
  databaseUrl: string;
  /** The embedded chain; null with a node of the user's. */
  devnet: Devnet | null;
}

type Companion = Pick<Devnet, "exited" | "stop">;

/** Returns the connection data of the settings' chain. */
export function endpointOfSettings(config: Config, devnet: Devnet | null): ChainEndpoint {
  if (config.RPC_URL) {
    const { RPC_URL: rpcUrls, RPC_WS_URL: webSocketUrl, CHAIN_ID: chainId } = config;
    return { rpcUrls, webSocketUrl, devnet: null, chainId };
  }
  if (!devnet) throw new TypeError("a chain without a node");
  const { rpcUrl, webSocketUrl } = devnet;
  return { rpcUrls: [rpcUrl], webSocketUrl, devnet, chainId: DEVNET_CHAIN_ID };
}

/** Starts the embedded database and chain where no setting names one, in parallel. Rejects with `ConfigError`. */
export async function startBackends(
  config: Config,
  { log, secrets, signal, shutdown, onFatal }: ProcessContext,
): Promise<Backends> {
  const { DATABASE_URL, DATA_DIR } = config;
  const isEmbedded = config.RPC_URL === undefined && config.CHAINS_FILE === undefined;
  if (!DATABASE_URL || isEmbedded) shutdown.add("folder lock", lockFolder(DATA_DIR));
  const companions: Companion[] = [];
  shutdown.add("embedded programs", async () => {
    await Promise.all(companions.map((companion) => companion.stop()));
  });

  async function launch<Kind extends Companion>(name: string, starting: Promise<Kind>) {
    const startedAt = performance.now();
    const companion = await starting;
    companions.push(companion);
    void companion.exited.then((ending) => {
      if (!shutdown.signal.aborted) {
        onFatal(`${name} ended unexpectedly (${ending}); start Periscope again, its data is kept`);
      }
    });
    log.info(`${name} is up after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    return companion;
  }

  async function launchDatabase(): Promise<string> {
    const options = { folder: path.join(DATA_DIR, "postgres"), log, signal };
    const { url } = await launch("the embedded PostgreSQL", startEmbeddedPostgres(options));
    secrets.add(secretsOfDatabaseUrl(url));
    return url;
  }

  function launchChain(): Promise<Devnet> {
    const options = { folder: path.join(DATA_DIR, "devnet"), log, signal };
    return launch("the embedded chain", startDevnet(options));
  }

  const starts = [DATABASE_URL ?? launchDatabase(), isEmbedded ? launchChain() : null] as const;
  // When one fails, the other must be started before it can be stopped.
  await Promise.allSettled(starts);
  const [databaseUrl, devnet] = await Promise.all(starts);
  return { databaseUrl, devnet };
}
