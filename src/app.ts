import type { AddressInfo } from "node:net";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import manifest from "../package.json" with { type: "json" };
import type { MetricsOptions } from "./api/ops/metrics.ts";
import { createOperationsServer, createServer } from "./api/server.ts";
import type { Chain } from "./chain/chain.ts";
import { createChain } from "./chain/client.ts";
import type { Config } from "./config.ts";
import { sleep } from "./core/async.ts";
import { ConfigError, messageOf, RequestError } from "./core/errors.ts";
import { createSql, type Sql } from "./db/client.ts";
import { migrate } from "./db/migrate.ts";
import { timeQueries } from "./db/query-timing.ts";
import type { Devnet } from "./devnet/devnet.ts";
import { type Indexer, type IndexerSettings, startIndexer } from "./indexer/start.ts";
import { type Sources, type Surroundings, startSources } from "./sources.ts";
import { getChainIdentity } from "./store/sync-state.ts";
import {
  countQuery,
  countRpcRequest,
  countVerification,
  createMetrics,
  type Metrics,
} from "./telemetry/metrics.ts";
import { openCatalogue } from "./verification/compiler-sources.ts";
import { createVerifier, type Verifier } from "./verification/verifier.ts";

/** A running Periscope. */
export interface App {
  sql: Sql;
  /** `http://host:port` of the API; null for an indexer alone. */
  apiUrl: string | null;
  /** Null with a node of the user's. */
  devnet: Devnet | null;
  /** Null when only other processes index. */
  indexer: Indexer | null;
}

/** Larger than any block of today's chains with its traces. */
const MAX_RPC_RESPONSE_BYTES = 256 * 1024 * 1024;
const API_CONNECTIONS = 16;
const VERIFIER_CONNECTIONS = 4;
const PROBE_RETRY_MS = 2_000;
/** What running requests, and the indexer's current block, get for an end: all must be over in five seconds. */
const CLOSE_PATIENCE_MS = 700;
const SQL_CLOSE_PATIENCE_SECONDS = 0.5;

/**
 * Starts everything that the settings ask for; the API listens when this resolves, whether or not the node can be
 * reached. Rejects with `ConfigError` when the surroundings make a start impossible.
 */
export async function startApp(config: Config, surroundings: Surroundings): Promise<App> {
  const { shutdown } = surroundings;
  const sources = await startSources(config, surroundings);
  const knownChainId = await prepareDatabase(sources);
  const metrics = createMetrics("main");
  const client = createSql(config.DATABASE_READ_URL ?? sources.databaseUrl, {
    schema: sources.schema,
    connections: API_CONNECTIONS,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    applicationName: "periscope api",
  });
  const sql = timeQueries(client, countQuery(metrics));
  shutdown.add("database connections", () => sql.end({ timeout: SQL_CLOSE_PATIENCE_SECONDS }));
  const indexer = config.ROLE === "api" ? null : startIndexing(config, sources, surroundings);
  shutdown.add("indexer", () => inTime(indexer?.stop()));
  const expectedChainId = knownChainId ?? sources.chainId;
  const counting = { metrics, countedElsewhere: () => indexer?.counted() ?? [] };
  const server = createHttpServer(config, sources, sql, counting, expectedChainId, surroundings);
  shutdown.add("HTTP server", () => inTime(server.close()));
  const url = await listen(server, config);
  return { sql, apiUrl: config.ROLE === "indexer" ? null : url, devnet: sources.devnet, indexer };
}

/** Waits for a closing part, but not for long. */
async function inTime(closing: PromiseLike<unknown> | undefined): Promise<void> {
  await Promise.race([closing, sleep(CLOSE_PATIENCE_MS)]);
}

/** Brings the tables up to date; returns the id of the chain that they hold, if they hold one. */
async function prepareDatabase({ databaseUrl, schema }: Sources): Promise<number | undefined> {
  const sql = createSql(databaseUrl, { schema, connections: 2 });
  try {
    await migrate(sql, schema);
    return (await getChainIdentity(sql))?.chainId;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { host, pathname } = new URL(databaseUrl);
    throw new ConfigError(
      `the database ${host}${pathname} cannot be used: ${messageOf(error) || errorCode(error)}`,
      { cause: error },
    );
  } finally {
    await sql.end({ timeout: 0 });
  }
}

function startIndexing(config: Config, sources: Sources, { log, onFatal }: Surroundings): Indexer {
  const settings: IndexerSettings = {
    databaseUrl: sources.databaseUrl,
    databaseSchema: sources.schema,
    logLevel: config.LOG_LEVEL,
    chain: chainOptions(config, sources),
    sync: {
      startBlock: config.START_BLOCK,
      chainId: config.CHAIN_ID,
      finalityDepth: config.FINALITY_DEPTH,
      pollIntervalMs: config.POLL_INTERVAL_MS,
      allowReset: config.ALLOW_RESET,
    },
  };
  return startIndexer(settings, { log, onFatal });
}

function chainOptions(config: Config, sources: Sources): IndexerSettings["chain"] {
  return {
    urls: sources.rpcUrls,
    ...(sources.webSocketUrl === undefined ? {} : { webSocketUrl: sources.webSocketUrl }),
    requestTimeoutMs: config.RPC_TIMEOUT_MS,
    batchSize: config.RPC_BATCH_SIZE,
    concurrency: config.RPC_CONCURRENCY,
    maxResponseBytes: MAX_RPC_RESPONSE_BYTES,
    traces: config.TRACES,
  };
}

function createHttpServer(
  config: Config,
  sources: Sources,
  sql: Sql,
  counting: MetricsOptions,
  expectedChainId: number | undefined,
  surroundings: Surroundings,
): FastifyInstance {
  const { log, shutdown } = surroundings;
  const chain = createChain({
    ...chainOptions(config, sources),
    // What is found out about the nodes is told by the indexer, in all but the API's own processes.
    log: config.ROLE === "api" ? log : { info: log.debug.bind(log), warn: log.warn.bind(log) },
    signal: shutdown.signal,
    onRequest: countRpcRequest(counting.metrics),
  });
  shutdown.add("node connections", () => chain.close());
  const operations = {
    sql,
    chain,
    log,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    version: manifest.version,
    ...counting,
  };
  if (config.ROLE === "indexer") return createOperationsServer(operations);
  return createServer({
    ...operations,
    verifier: startVerifier(config, sources, chain, counting.metrics, surroundings),
    chainId: learnChainId(chain, expectedChainId, surroundings),
    staticReward: config.STATIC_REWARD,
    priceFeeds: {
      ...(config.PRICE_FEED_USD ? { usd: config.PRICE_FEED_USD } : {}),
      ...(config.PRICE_FEED_BTC ? { btc: config.PRICE_FEED_BTC } : {}),
    },
    networkName: config.NETWORK_NAME,
    coinSymbol: config.COIN_SYMBOL,
    rateLimit: config.RATE_LIMIT,
    apiKeys: config.API_KEYS ?? [],
    apiKeyRateLimit: config.API_KEY_RATE_LIMIT,
    sendRawTransaction: config.SEND_TRANSACTIONS,
  });
}

function startVerifier(
  config: Config,
  { databaseUrl, schema }: Sources,
  chain: Chain,
  metrics: Metrics,
  { log, shutdown }: Surroundings,
): Verifier {
  const sql = createSql(databaseUrl, {
    schema,
    connections: VERIFIER_CONNECTIONS,
    applicationName: "periscope verifier",
  });
  shutdown.add("verifier's database connections", () =>
    sql.end({ timeout: SQL_CLOSE_PATIENCE_SECONDS }),
  );
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
  const concurrency = config.VERIFIER_CONCURRENCY;
  const onJob = countVerification(metrics);
  const verifier = createVerifier({ sql, chain, catalogue, concurrency, log, onJob });
  shutdown.add("verifier", () => inTime(verifier.close()));
  return verifier;
}

/**
 * Asks the node for its chain id until it answers; the returned function gives what is known by then, and before
 * that refuses the request. A node of another chain than `expected` is fatal.
 */
function learnChainId(
  chain: Chain,
  expected: number | undefined,
  { log, shutdown, onFatal }: Surroundings,
): () => number {
  let chainId = expected;
  void ask();
  async function ask(): Promise<void> {
    while (!shutdown.signal.aborted) {
      try {
        const found = (await chain.probe()).chainId;
        if (expected !== undefined && found !== expected) {
          onFatal(`the node serves chain ${found}, but chain ${expected} is expected`);
        } else {
          chainId = found;
        }
        return;
      } catch (error) {
        log.debug({ err: error }, "the node's chain is not known yet");
        await sleep(PROBE_RETRY_MS, shutdown.signal);
      }
    }
  }
  return () => {
    if (chainId === undefined) {
      throw new RequestError(503, "The node was not reached yet, please try again later");
    }
    return chainId;
  };
}

async function listen(server: FastifyInstance, { HOST, PORT }: Config): Promise<string> {
  try {
    await server.listen({ host: HOST, port: PORT });
  } catch (error) {
    const reasons: Record<string, string> = {
      EADDRINUSE: `port ${PORT} is in use by another program; set PORT to a free one`,
      EACCES: `this user may not listen on port ${PORT}; set PORT to one above 1023`,
      EADDRNOTAVAIL: `HOST=${HOST} is no address of this machine`,
      ENOTFOUND: `HOST=${HOST} is not known`,
    };
    throw new ConfigError(reasons[errorCode(error)] ?? messageOf(error), { cause: error });
  }
  const { port } = server.server.address() as AddressInfo;
  const isAnyAddress = HOST === "0.0.0.0" || HOST === "::";
  const host = isAnyAddress ? "127.0.0.1" : HOST;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function errorCode(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
