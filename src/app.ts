import type { AddressInfo } from "node:net";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { ServedChains } from "./api/serving/served-chain.ts";
import { createOperationsServer, createServer } from "./api/serving/server.ts";
import {
  type Backends,
  endpointOfSettings,
  type ProcessContext,
  startBackends,
} from "./composition/backends.ts";
import { type ChainSet, startChainSet } from "./composition/chain-set.ts";
import { closeSoon, createRunningChain, type RunningChain } from "./composition/run-chain.ts";
import { ConfigError, codeOf, messageOf } from "./core/errors.ts";
import { softwareVersion } from "./core/software-version.ts";
import type { Sql } from "./db/client.ts";
import type { Devnet } from "./devnet/devnet.ts";
import type { Indexer } from "./indexer/thread/start.ts";
import { addPages } from "./pages/pages.ts";
import { prepareTemporaryFolder } from "./process/temporary-folder.ts";
import type { Settings } from "./settings/chains-file.ts";
import type { Config } from "./settings/config.ts";
import { createProcessMetrics } from "./telemetry/process-metrics.ts";
import { openCatalogue } from "./verification/compilers/catalogue.ts";
import {
  createVerificationWorks,
  type VerificationWorks,
  type Verifier,
} from "./verification/verifier.ts";

/** A running Periscope. */
export interface App {
  /** Applies a changed CHAINS_FILE; undefined without one. Rejects with `ConfigError`. */
  replaceChains: ChainSet["replace"] | undefined;
}

/** A chain that is up, and its URL. */
export interface StartedChain {
  sql: Sql;
  log: Logger;
  /** Base URL of the API's paths; null for an indexer alone. */
  apiUrl: string | null;
  /** Null with an external node. */
  devnet: Devnet | null;
  verifier: Verifier;
  /** Null when only other processes index. */
  indexer: Indexer | null;
  /** Aborted when its work ends, or the process is asked to end. */
  signal: AbortSignal;
}

/** Starts what the settings ask for; resolves once the API listens. Calls `onStart` for each chain. Rejects with `ConfigError`. */
export async function startApp(
  { common, chains }: Settings,
  context: ProcessContext,
  onStart: (chain: StartedChain) => void,
): Promise<App> {
  const backends = await startBackends(common, context);
  const works = common.ROLE === "indexer" ? null : await startVerification(common, context);
  const listening = Promise.withResolvers<string | null>();
  const reportStart = async (chain: RunningChain, devnet: Devnet | null, path: string) => {
    const { sql, log, verifier } = chain.served;
    const url = await listening.promise;
    const apiUrl = url === null ? null : url + path;
    const signal = AbortSignal.any([context.signal, chain.signal]);
    onStart({ sql, log, apiUrl, devnet, verifier, indexer: chain.indexer(), signal });
  };
  if (common.CHAINS_FILE === undefined) {
    const chain = await startOnlyChain(common, backends, works, context);
    listening.resolve(await serve(common, () => [chain.served], context));
    await reportStart(chain, backends.devnet, "");
    return { replaceChains: undefined };
  }
  const set = await startChainSet(chains, {
    ...context,
    works,
    databaseUrl: backends.databaseUrl,
    requestTimeoutMs: common.REQUEST_TIMEOUT_MS,
    onStart: (chain) => void reportStart(chain, null, `/${chain.config.CHAIN_ID}`),
  });
  listening.resolve(await serve(common, set.served, context));
  return { replaceChains: set.replace };
}

async function startOnlyChain(
  config: Config,
  { databaseUrl, devnet }: Backends,
  works: VerificationWorks | null,
  context: ProcessContext,
): Promise<RunningChain> {
  const schema = config.DATABASE_SCHEMA ?? (devnet ? "devnet" : "public");
  const place = { ...endpointOfSettings(config, devnet), databaseUrl, schema };
  const chain = createRunningChain(config, place, { ...context, works, chainName: undefined });
  await chain.start();
  return chain;
}

/** Serves the chains over HTTP; returns the API's URL, or null for an indexer. */
async function serve(
  config: Config,
  chains: ServedChains,
  { log, shutdown }: ProcessContext,
): Promise<string | null> {
  const options = {
    chains,
    log,
    metrics: createProcessMetrics(),
    ...softwareVersion(),
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    trustedProxies: config.TRUSTED_PROXIES ?? [],
  };
  const isApi = config.ROLE !== "indexer";
  const operationsApart = isApi && config.OPERATIONS_PORT !== undefined;
  const server = isApi
    ? createServer(
        {
          ...options,
          operationsApart,
          publicUrl: config.PUBLIC_URL,
          robotsAllowed: config.ROBOTS === "allow",
          mcpOrigins: config.MCP_ORIGINS ?? [],
          rateLimit: config.RATE_LIMIT,
          apiKeys: config.API_KEYS ?? [],
          apiKeyRateLimit: config.API_KEY_RATE_LIMIT,
          rpcBatchLimit: config.ETH_RPC_BATCH_LIMIT,
        },
        addPages,
      )
    : createOperationsServer(options);
  shutdown.add("HTTP server", () => closeSoon(server.close()));
  const url = await listen(server, config.HOST, "PORT", config.PORT);
  if (operationsApart) {
    const operations = createOperationsServer(options);
    shutdown.add("operations server", () => closeSoon(operations.close()));
    await listen(operations, config.HOST, "OPERATIONS_PORT", config.OPERATIONS_PORT ?? 0);
  }
  return isApi ? url : null;
}

async function startVerification(config: Config, { log, shutdown }: ProcessContext) {
  process.env["TMPDIR"] = await prepareTemporaryFolder(config.DATA_DIR, log);
  const source = (name: string, listUrl: string | undefined) => ({
    folder: path.join(config.DATA_DIR, name),
    listUrl,
  });
  const catalogue = openCatalogue(
    {
      solc: source("solc", config.SOLC_LIST_URL),
      vyper: source("vyper", config.VYPER_LIST_URL),
    },
    log,
  );
  const works = createVerificationWorks({
    catalogue,
    concurrency: config.VERIFIER_CONCURRENCY,
    log,
  });
  shutdown.add("verification", () => closeSoon(works.close()));
  return works;
}

/** Listens on the port of a setting; returns the URL. Throws a `ConfigError` with the remedy. */
async function listen(
  server: FastifyInstance,
  host: string,
  setting: "PORT" | "OPERATIONS_PORT",
  wanted: number,
): Promise<string> {
  try {
    await server.listen({ host, port: wanted });
  } catch (error) {
    const reasons: Record<string, string> = {
      EADDRINUSE: `port ${wanted} is in use by another program; set ${setting} to a free one`,
      EACCES: `this user may not listen on port ${wanted}; set ${setting} to one above 1023`,
      EADDRNOTAVAIL: `HOST=${host} is not an address of this machine`,
      ENOTFOUND: `HOST=${host} is not known`,
    };
    throw new ConfigError(reasons[codeOf(error)] ?? messageOf(error), { cause: error });
  }
  const { port } = server.server.address() as AddressInfo;
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const reached = isAnyAddress ? "127.0.0.1" : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}
