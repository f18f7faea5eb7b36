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
import { demandSession } from "./db/session.ts";
import { PRICE_FEEDS } from "./devnet/additions.ts";
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
  /** Null where the API is not served. */
  verifier: Verifier | null;
  /** Null when only other processes index. */
  indexer: Indexer | null;
}

/** Each costs the node a block and some twenty reads. */
const AUDIT_INTERVAL_MS = 10_000;
/** Larger than any block of today's chains with its traces. */
const MAX_RPC_RESPONSE_BYTES = 256 * 1024 * 1024;
const API_CONNECTIONS = 16;
const VERIFIER_CONNECTIONS = 4;
const PROBE_RETRY_MS = 2_000;
/** Of a connection that was taken away: by the server, or by what is between. */
const LOST_CODES: ReadonlySet<string> = new Set(["57P01", "CONNECTION_CLOSED", "ECONNRESET"]);
const PREPARE_ATTEMPTS = 20;
const PREPARE_RETRY_MS = 250;
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
  const knownChainId = await prepareDatabase(sources, surroundings);
  const metrics = createMetrics("main");
  const client = createSql(config.DATABASE_READ_URL ?? sources.databaseUrl, {
    schema: sources.schema,
    connections: API_CONNECTIONS,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    mayBePooled: true,
    applicationName: "periscope api",
  });
  const sql = timeQueries(client, countQuery(metrics));
  shutdown.add("database connections", () => sql.end({ timeout: SQL_CLOSE_PATIENCE_SECONDS }));
  const indexer = config.ROLE === "api" ? null : startIndexing(config, sources, surroundings);
  shutdown.add("indexer", () => inTime(indexer?.stop()));
  const expectedChainId = knownChainId ?? sources.chainId;
  const counting = { metrics, countedElsewhere: () => indexer?.counted() ?? [] };
  const { server, operations, verifier } = createHttpServers(
    config,
    sources,
    sql,
    counting,
    expectedChainId,
    surroundings,
  );
  shutdown.add("HTTP server", () => inTime(server.close()));
  const url = await listen(server, config.HOST, "PORT", config.PORT);
  if (operations) {
    shutdown.add("operations server", () => inTime(operations.close()));
    await listen(operations, config.HOST, "OPERATIONS_PORT", config.OPERATIONS_PORT ?? 0);
  }
  const apiUrl = config.ROLE === "indexer" ? null : url;
  return { sql, apiUrl, devnet: sources.devnet, verifier, indexer };
}

/** Waits for a closing part, but not for long. */
async function inTime(closing: PromiseLike<unknown> | undefined): Promise<void> {
  await Promise.race([closing, sleep(CLOSE_PATIENCE_MS)]);
}

/** Brings the tables up to date; returns the id of the chain that they hold, if they hold one. */
async function prepareDatabase(
  { databaseUrl, schema }: Sources,
  { log, signal }: Surroundings,
): Promise<number | undefined> {
  const sql = createSql(databaseUrl, { schema, connections: 2 });
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        await demandSession(sql, schema);
        await migrate(sql, schema);
        return (await getChainIdentity(sql))?.chainId;
      } catch (error) {
        // One that was there and is lost; one that cannot be reached at all is told of at once.
        const isLost = LOST_CODES.has(errorCode(error));
        if (!isLost || attempt === PREPARE_ATTEMPTS || signal.aborted) throw error;
        log.warn(`the connection to the database was lost, trying again: ${messageOf(error)}`);
        await sleep(PREPARE_RETRY_MS, signal);
      }
    }
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { host, pathname } = new URL(databaseUrl);
    const reason = messageOf(error) || errorCode(error);
    throw new ConfigError(`the database ${host}${pathname} cannot be used: ${reason}`, {
      cause: error,
    });
  } finally {
    await sql.end({ timeout: 0 });
  }
}

function startIndexing(config: Config, sources: Sources, surroundings: Surroundings): Indexer {
  const settings: IndexerSettings = {
    databaseUrl: sources.databaseUrl,
    databaseSchema: sources.schema,
    logLevel: config.LOG_LEVEL,
    chain: chainOptions(config, sources, surroundings),
    sync: {
      startBlock: config.START_BLOCK,
      chainId: config.CHAIN_ID,
      finalityDepth: config.FINALITY_DEPTH,
      pollIntervalMs: config.POLL_INTERVAL_MS,
      allowReset: config.ALLOW_RESET,
      auditIntervalMs: AUDIT_INTERVAL_MS,
      proofs: config.PROOFS === "auto",
    },
  };
  return startIndexer(settings, surroundings);
}

function chainOptions(
  config: Config,
  sources: Sources,
  { secrets }: Surroundings,
): IndexerSettings["chain"] {
  return {
    secrets: secrets.list(),
    urls: sources.rpcUrls,
    ...(sources.webSocketUrl === undefined ? {} : { webSocketUrl: sources.webSocketUrl }),
    requestTimeoutMs: config.RPC_TIMEOUT_MS,
    batchSize: config.RPC_BATCH_SIZE,
    concurrency: config.RPC_CONCURRENCY,
    maxResponseBytes: MAX_RPC_RESPONSE_BYTES,
    traces: config.TRACES,
  };
}

function createHttpServers(
  config: Config,
  sources: Sources,
  sql: Sql,
  counting: MetricsOptions,
  expectedChainId: number | undefined,
  surroundings: Surroundings,
): { server: FastifyInstance; operations: FastifyInstance | null; verifier: Verifier | null } {
  const { log, shutdown } = surroundings;
  const chain = createChain({
    ...chainOptions(config, sources, surroundings),
    // What is found out about the nodes is told by the indexer, in all but the API's own processes.
    log: config.ROLE === "api" ? log : { info: log.debug.bind(log), warn: log.warn.bind(log) },
    signal: shutdown.signal,
    onRequest: countRpcRequest(counting.metrics),
  });
  shutdown.add("node connections", () => chain.close());
  const common = {
    sql,
    chain,
    log,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    trustedProxies: config.TRUSTED_PROXIES ?? [],
    version: manifest.version,
    ...counting,
  };
  if (config.ROLE === "indexer") {
    return { server: createOperationsServer(common), operations: null, verifier: null };
  }
  const operationsApart = config.OPERATIONS_PORT !== undefined;
  const verifier = startVerifier(config, sources, chain, counting.metrics, surroundings);
  const server = createServer({
    ...common,
    operationsApart,
    verifier,
    chainId: learnChainId(chain, expectedChainId, surroundings),
    staticReward: config.STATIC_REWARD,
    priceFeeds: {
      ...(sources.devnet ? PRICE_FEEDS : {}),
      ...(config.PRICE_FEED_USD ? { usd: config.PRICE_FEED_USD } : {}),
      ...(config.PRICE_FEED_BTC ? { btc: config.PRICE_FEED_BTC } : {}),
    },
    networkName: config.NETWORK_NAME,
    publicUrl: config.PUBLIC_URL,
    coinSymbol: config.COIN_SYMBOL,
    rateLimit: config.RATE_LIMIT,
    apiKeys: config.API_KEYS ?? [],
    apiKeyRateLimit: config.API_KEY_RATE_LIMIT,
    sendRawTransaction: config.SEND_TRANSACTIONS,
    rpcBatchLimit: config.ETH_RPC_BATCH_LIMIT,
  });
  const operations = operationsApart ? createOperationsServer(common) : null;
  return { server, operations, verifier };
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
  const onSubmission = (outcome: string) => metrics.verificationSubmissions.inc({ outcome });
  const verifier = createVerifier({
    sql,
    chain,
    catalogue,
    concurrency,
    log,
    onJob,
    onSubmission,
  });
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
