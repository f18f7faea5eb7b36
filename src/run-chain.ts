import type { Logger } from "pino";
import type { ServedChain } from "./api/served-chain.ts";
import type { Chain } from "./chain/chain.ts";
import { createChain } from "./chain/client.ts";
import type { Config } from "./config.ts";
import { sleep } from "./core/async.ts";
import { RequestError } from "./core/errors.ts";
import type { Secrets } from "./core/secrets.ts";
import type { Shutdown } from "./core/shutdown.ts";
import { createSql } from "./db/client.ts";
import { timeQueries } from "./db/query-timing.ts";
import { PRICE_FEEDS } from "./devnet/additions.ts";
import { type Indexer, type IndexerSettings, startIndexer } from "./indexer/start.ts";
import type { Sources } from "./sources.ts";
import {
  countQuery,
  countRpcRequest,
  countVerification,
  createMetrics,
  type Metrics,
} from "./telemetry/metrics.ts";
import { createVerifier, type VerificationWorks, type Verifier } from "./verification/verifier.ts";

/** A chain with its parts: what indexes it, and what its answers are made with. */
export interface RunningChain {
  served: ServedChain;
  /** Null when only other processes index. */
  indexer: Indexer | null;
}

/** What a chain shares with the process it lives in. */
export interface ChainSurroundings {
  log: Logger;
  secrets: Secrets;
  /** The chain's own: closing it ends the chain's parts. */
  shutdown: Shutdown;
  /** What its contracts are verified with; null where other processes verify. */
  works: VerificationWorks | null;
  /** Called with a sentence when the chain cannot go on. */
  onFatal(reason: string): void;
}

/** Each costs the node a block and some twenty reads. */
const AUDIT_INTERVAL_MS = 10_000;
/** Larger than any block of today's chains with its traces. */
const MAX_RPC_RESPONSE_BYTES = 256 * 1024 * 1024;
const API_CONNECTIONS = 16;
const VERIFIER_CONNECTIONS = 4;
const PROBE_RETRY_MS = 2_000;
/** What running requests, and the indexer's current block, get for an end: all must be over in five seconds. */
const CLOSE_PATIENCE_MS = 700;
const SQL_CLOSE_PATIENCE_SECONDS = 0.5;

/**
 * Starts the parts of a chain that the role asks for, on tables that are up to date; none of them waits for the node.
 * `knownChainId` is the id of the chain that the tables hold, if they hold one.
 */
export function runChain(
  config: Config,
  sources: Sources,
  knownChainId: number | undefined,
  surroundings: ChainSurroundings,
): RunningChain {
  const { log, shutdown } = surroundings;
  const metrics = createMetrics();
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
  const chain = createChain({
    ...chainOptions(config, sources, surroundings),
    // What is found out about the nodes is told by the indexer, in all but the API's own processes.
    log: config.ROLE === "api" ? log : { info: log.debug.bind(log), warn: log.warn.bind(log) },
    signal: shutdown.signal,
    onRequest: countRpcRequest(metrics),
  });
  shutdown.add("node connections", () => chain.close());
  const served = {
    sql,
    chain,
    log,
    metrics,
    chainId: learnChainId(chain, knownChainId ?? sources.chainId, surroundings),
    verifier: startVerifier(sources, chain, metrics, surroundings),
    staticReward: config.STATIC_REWARD,
    priceFeeds: {
      ...(sources.devnet ? PRICE_FEEDS : {}),
      ...(config.PRICE_FEED_USD ? { usd: config.PRICE_FEED_USD } : {}),
      ...(config.PRICE_FEED_BTC ? { btc: config.PRICE_FEED_BTC } : {}),
    },
    networkName: config.NETWORK_NAME,
    coinSymbol: config.COIN_SYMBOL,
    sendRawTransaction: config.SEND_TRANSACTIONS,
    countedElsewhere: () => indexer?.counted() ?? [],
    stopped: () => null,
  };
  return { served, indexer };
}

/** Waits for a closing part, but not for long. */
export async function inTime(closing: PromiseLike<unknown> | undefined): Promise<void> {
  await Promise.race([closing, sleep(CLOSE_PATIENCE_MS)]);
}

function startIndexing(config: Config, sources: Sources, surroundings: ChainSurroundings): Indexer {
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
  { secrets }: ChainSurroundings,
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

function startVerifier(
  { databaseUrl, schema }: Sources,
  chain: Chain,
  metrics: Metrics,
  { log, shutdown, works }: ChainSurroundings,
): Verifier {
  const sql = createSql(databaseUrl, {
    schema,
    connections: VERIFIER_CONNECTIONS,
    applicationName: "periscope verifier",
  });
  shutdown.add("verifier's database connections", () =>
    sql.end({ timeout: SQL_CLOSE_PATIENCE_SECONDS }),
  );
  const verifier = createVerifier({
    sql,
    schema,
    chain,
    works,
    log,
    onJob: countVerification(metrics),
    onSubmission: (outcome) => metrics.verificationSubmissions.inc({ outcome }),
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
  { log, shutdown, onFatal }: ChainSurroundings,
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
