import type { AddressInfo } from "node:net";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import manifest from "../package.json" with { type: "json" };
import { createOperationsServer, createServer } from "./api/server.ts";
import type { Config } from "./config.ts";
import { ConfigError, messageOf } from "./core/errors.ts";
import type { Sql } from "./db/client.ts";
import type { Devnet } from "./devnet/devnet.ts";
import type { Indexer } from "./indexer/start.ts";
import { prepareDatabase } from "./prepare-database.ts";
import { inTime, runChain } from "./run-chain.ts";
import { type Surroundings, startSources } from "./sources.ts";
import { createProcessMetrics } from "./telemetry/metrics.ts";
import { openCatalogue } from "./verification/compiler-sources.ts";
import {
  createVerificationWorks,
  type VerificationWorks,
  type Verifier,
} from "./verification/verifier.ts";

/** A running Periscope. */
export interface App {
  sql: Sql;
  /** `http://host:port` of the API; null for an indexer alone. */
  apiUrl: string | null;
  /** Null with a node of the user's. */
  devnet: Devnet | null;
  verifier: Verifier;
  /** Null when only other processes index. */
  indexer: Indexer | null;
}

/**
 * Starts everything that the settings ask for; the API listens when this resolves, whether or not the node can be
 * reached. Rejects with `ConfigError` when the surroundings make a start impossible.
 */
export async function startApp(config: Config, surroundings: Surroundings): Promise<App> {
  const { shutdown } = surroundings;
  const sources = await startSources(config, surroundings);
  const knownChainId = await prepareDatabase(sources, surroundings);
  const works = config.ROLE === "indexer" ? null : startVerification(config, surroundings);
  const { served, indexer } = runChain(config, sources, knownChainId, { ...surroundings, works });
  const options = {
    chains: () => [served] as const,
    log: surroundings.log,
    metrics: createProcessMetrics(),
    version: manifest.version,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    trustedProxies: config.TRUSTED_PROXIES ?? [],
  };
  const operationsApart = config.ROLE !== "indexer" && config.OPERATIONS_PORT !== undefined;
  const server =
    config.ROLE === "indexer"
      ? createOperationsServer(options)
      : createServer({
          ...options,
          operationsApart,
          publicUrl: config.PUBLIC_URL,
          rateLimit: config.RATE_LIMIT,
          apiKeys: config.API_KEYS ?? [],
          apiKeyRateLimit: config.API_KEY_RATE_LIMIT,
          rpcBatchLimit: config.ETH_RPC_BATCH_LIMIT,
        });
  shutdown.add("HTTP server", () => inTime(server.close()));
  const url = await listen(server, config.HOST, "PORT", config.PORT);
  if (operationsApart) {
    const operations = createOperationsServer(options);
    shutdown.add("operations server", () => inTime(operations.close()));
    await listen(operations, config.HOST, "OPERATIONS_PORT", config.OPERATIONS_PORT ?? 0);
  }
  const apiUrl = config.ROLE === "indexer" ? null : url;
  return { sql: served.sql, apiUrl, devnet: sources.devnet, verifier: served.verifier, indexer };
}

function startVerification(config: Config, { log, shutdown }: Surroundings): VerificationWorks {
  const source = (folder: string | undefined, name: string, listUrl: string | undefined) => ({
    folder: folder ?? path.join(config.DATA_DIR, name),
    listUrl,
  });
  const catalogue = openCatalogue(
    {
      solc: source(config.SOLC_CACHE_DIR, "solc", config.SOLC_LIST_URL),
      vyper: source(config.VYPER_CACHE_DIR, "vyper", config.VYPER_LIST_URL),
    },
    log,
  );
  const works = createVerificationWorks({
    catalogue,
    concurrency: config.VERIFIER_CONCURRENCY,
    log,
  });
  shutdown.add("verification", () => inTime(works.close()));
  return works;
}

/** Starts to listen on the port of a setting; gives the URL. Throws `ConfigError` with the cure. */
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
      EADDRNOTAVAIL: `HOST=${host} is no address of this machine`,
      ENOTFOUND: `HOST=${host} is not known`,
    };
    throw new ConfigError(reasons[errorCode(error)] ?? messageOf(error), { cause: error });
  }
  const { port } = server.server.address() as AddressInfo;
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const reached = isAnyAddress ? "127.0.0.1" : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}

function errorCode(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
