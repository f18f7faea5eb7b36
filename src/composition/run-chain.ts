import path from "node:path";
import type { Logger } from "pino";
import type { ServedChain } from "../api/serving/served-chain.ts";
import type { Chain } from "../chain/chain.ts";
import { createChain } from "../chain/client.ts";
import { createUses, sleep } from "../core/async.ts";
import { messageOf, PublicConfigError, publicMessageOf, RequestError } from "../core/errors.ts";
import type { Shutdown } from "../core/shutdown.ts";
import { createSql } from "../db/client.ts";
import { timeStatements } from "../db/statements.ts";
import { PRICE_FEEDS } from "../devnet/additions.ts";
import { requireStartBlockSetting } from "../indexer/binding.ts";
import { type Indexer, type IndexerSettings, startIndexer } from "../indexer/thread/start.ts";
import type { Config } from "../settings/config.ts";
import { countQuery, countRpcRequest, createMetrics, type Metrics } from "../telemetry/metrics.ts";
import { createVerifier, type VerificationWorks, type Verifier } from "../verification/verifier.ts";
import type { ChainEndpoint, ProcessContext } from "./backends.ts";
import { shareConnections } from "./chain-connections.ts";
import { prepareDatabase, requireSameChain } from "./prepare-database.ts";

/** A chain with its parts: its indexer, and the dependencies of its answers. */
export type RunningChain = ReturnType<typeof createRunningChain>;

/** Location of a chain's data and nodes. */
export interface ChainPlace extends ChainEndpoint {
  databaseUrl: string;
  schema: string;
}

/** Resources that a chain shares with its process. */
export interface ChainContext extends Pick<ProcessContext, "log" | "secrets" | "labelFiles"> {
  /** The chain's own: closing it ends the chain's parts. */
  shutdown: Shutdown;
  /** Verifies its contracts; null where other processes do. */
  works: VerificationWorks | null;
  chainName: string | undefined;
  /** Called with a sentence when the chain cannot continue, and with its public form. */
  onFatal(reason: string, publicReason: string): void;
}

/** Each audit costs the node a block and some twenty reads. */
const AUDIT_INTERVAL_MS = { alone: 10_000, amongOthers: 60_000 };
/** Largest node answer in bytes. The indexer's exceeds any block of today's chains with its traces. */
const RESPONSE_BYTES = { indexer: 256 * 1024 * 1024, api: 24 * 1024 * 1024 };
/** Most calls in one request to a node; fewer where it refuses. */
const BATCH_SIZE = 100;
const PROBE_RETRY_MS = 2_000;
/** Time for running requests and the indexer's current block to end: all must be over in five seconds. */
const CLOSE_PATIENCE_MS = 700;
const SQL_CLOSE_PATIENCE_SECONDS = 0.5;

/** Creates a chain with its parts, which are idle before the start. */
export function createRunningChain(config: Config, place: ChainPlace, context: ChainContext) {
  const { log, shutdown } = context;
  const metrics = createMetrics();
  const connections = shareConnections(config);
  const client = createSql(config.DATABASE_READ_URL ?? place.databaseUrl, {
    schema: place.schema,
    connections: connections.api,
    statementTimeoutMs: config.STATEMENT_TIMEOUT_MS,
    mayBePooled: true,
    applicationName: "periscope api",
  });
  const sql = timeStatements(client, countQuery(metrics));
  shutdown.add("database connections", () => sql.end({ timeout: SQL_CLOSE_PATIENCE_SECONDS }));
  const chain = createChain({
    ...chainOptions(config, place, context),
    maxResponseBytes: RESPONSE_BYTES.api,
    // The indexer already logs about the nodes, except in processes that only serve the API.
    log: config.ROLE === "api" ? log : { info: log.debug.bind(log), warn: log.warn.bind(log) },
    signal: shutdown.signal,
    onRequest: countRpcRequest(metrics),
  });
  shutdown.add("node connections", () => chain.close());
  const verifier = createChainVerifier(place, connections.verifier, chain, metrics, context);
  let stopped: string | null = "it is being prepared";
  let indexer: Indexer | null = null;
  let chainId = place.chainId;
  shutdown.add("indexer", () => closeSoon(indexer?.stop()));

  const quitting = new AbortController();
  const signal = AbortSignal.any([shutdown.signal, quitting.signal]);

  /**
   * Migrates the tables, then starts the parts of the role; with `waitsForNode` only after a node
   * has confirmed the chain. Returns false when the chain quit meanwhile: nothing of it runs then.
   * Rejects with `ConfigError`.
   */
  async function start({ waitsForNode } = { waitsForNode: false }): Promise<boolean> {
    const { known, isSpread } = await prepareDatabase(place, { log, signal });
    if (known && known.chainId !== (chainId ?? known.chainId)) {
      throw new PublicConfigError(
        `the database holds chain ${known.chainId}, but chain ${chainId} is expected; give another DATABASE_SCHEMA`,
      );
    }
    if (known && config.ROLE !== "api") requireStartBlockSetting(known, config.START_BLOCK);
    chainId ??= known?.chainId;
    if (config.DATABASE_READ_URL !== undefined && config.ROLE !== "indexer") {
      await requireSameChain(config.DATABASE_READ_URL, { schema: place.schema, chainId, isSpread });
    }
    const because =
      place.chainId === undefined && known
        ? `the database holds chain ${known.chainId}; give another DATABASE_SCHEMA, DATABASE_URL or DATA_DIR`
        : `chain ${chainId} is expected`;
    const learning = learnChainId(chain, { chainId, because }, { log, signal });
    if (waitsForNode) await learning;
    // A caller that quit during the wait finds nothing to stop.
    if (signal.aborted) return false;
    stopped = null;
    if (config.ROLE !== "api") indexer = startIndexing(config, place, connections.indexer, context);
    if (config.ROLE !== "indexer") verifier.start();
    learning.then(
      (learnt) => {
        chainId ??= learnt;
      },
      (error) => context.onFatal(messageOf(error), publicMessageOf(error)),
    );
    return true;
  }

  /** Stops the chain's indexer and verifier for good, or prevents their start; answers continue. */
  async function quit(): Promise<void> {
    quitting.abort();
    await Promise.all([closeSoon(indexer?.stop()), closeSoon(verifier.close())]);
  }

  const requireChainId = () => {
    if (chainId !== undefined) return chainId;
    throw new RequestError(
      503,
      "node-unreachable",
      "The node was not reached yet, please try again later",
    );
  };
  const served: ServedChain = {
    sql,
    chain,
    log,
    metrics,
    chainId: requireChainId,
    labels: () => context.labelFiles.labels(config.LABELS_FILE, requireChainId()),
    verifier,
    staticReward: config.STATIC_REWARD,
    priceFeeds: {
      ...(place.devnet ? PRICE_FEEDS : {}),
      ...(config.PRICE_FEED_USD ? { usd: config.PRICE_FEED_USD } : {}),
      ...(config.PRICE_FEED_BTC ? { btc: config.PRICE_FEED_BTC } : {}),
    },
    networkName: config.NETWORK_NAME,
    coinSymbol: config.COIN_SYMBOL,
    sendRawTransaction: config.SEND_TRANSACTIONS,
    countedElsewhere: () => indexer?.counted() ?? [],
    ownIndexer: () => {
      const status = indexer?.status();
      if (!indexer || !status || ["starting", "standby"].includes(status.phase)) return null;
      return { indexer: { ...status }, indexerAgeSeconds: indexer.silence() };
    },
    requests: createUses(),
    stopped: () => stopped,
  };
  return {
    config,
    served,
    /** Aborted when its work ends for good, for any reason. */
    signal,
    /** Null when only other processes index, and before the start. */
    indexer: () => indexer,
    start,
    quit,
    /** As `quit`, but answers contain the reason, which is public. */
    halt: (reason: string) => {
      stopped = reason;
      return quit();
    },
  };
}

/** Waits for a closing part up to a time limit. */
export async function closeSoon(closing: PromiseLike<unknown> | undefined): Promise<void> {
  await Promise.race([closing, sleep(CLOSE_PATIENCE_MS)]);
}

function startIndexing(
  config: Config,
  place: ChainPlace,
  databaseConnections: number,
  context: ChainContext,
): Indexer {
  const { chainName } = context;
  const settings: IndexerSettings = {
    databaseUrl: place.databaseUrl,
    databaseSchema: place.schema,
    databaseConnections,
    logLevel: config.LOG_LEVEL,
    ...(chainName === undefined ? {} : { chainName }),
    compiledFolder: path.join(config.DATA_DIR, "compiled"),
    memoryMb: config.INDEXER_MEMORY_MB,
    chain: chainOptions(config, place, context),
    sync: {
      startBlock: config.START_BLOCK,
      chainId: config.CHAIN_ID,
      finalityDepth: config.FINALITY_DEPTH,
      pollIntervalMs: config.POLL_INTERVAL_MS,
      allowReset: config.ALLOW_RESET,
      auditIntervalMs: AUDIT_INTERVAL_MS[chainName === undefined ? "alone" : "amongOthers"],
      proofs: config.PROOFS === "auto",
    },
  };
  return startIndexer(settings, context);
}

function chainOptions(config: Config, place: ChainPlace, { secrets }: ChainContext) {
  return {
    secrets: secrets.list(),
    urls: place.rpcUrls,
    ...(place.webSocketUrl === undefined ? {} : { webSocketUrl: place.webSocketUrl }),
    requestTimeoutMs: config.RPC_TIMEOUT_MS,
    batchSize: BATCH_SIZE,
    concurrency: config.RPC_CONCURRENCY,
    maxResponseBytes: RESPONSE_BYTES.indexer,
    traces: config.TRACES,
  };
}

function createChainVerifier(
  { databaseUrl, schema }: ChainPlace,
  connections: number,
  chain: Chain,
  metrics: Metrics,
  { log, shutdown, works }: ChainContext,
): Verifier {
  const sql = createSql(databaseUrl, {
    schema,
    connections,
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
    onJob: (outcome, ms) => metrics.verificationSeconds.observe({ outcome }, ms / 1000),
    onSubmission: (outcome) => metrics.verificationSubmissions.inc({ outcome }),
  });
  shutdown.add("verifier", () => closeSoon(verifier.close()));
  return verifier;
}

/** Asks for the chain id until the node answers; undefined when aborted. Rejects with `ConfigError` for another one. */
async function learnChainId(
  chain: Chain,
  expected: { chainId: number | undefined; because: string },
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<number | undefined> {
  while (!signal.aborted) {
    const chainId = await chain.probe().then(
      (probe) => probe.chainId,
      (error: unknown) => {
        log.debug({ err: error }, "the node's chain is not known yet");
        return undefined;
      },
    );
    if (signal.aborted) return undefined;
    if (chainId !== undefined && chainId !== (expected.chainId ?? chainId)) {
      throw new PublicConfigError(`the node serves chain ${chainId}, but ${expected.because}`);
    }
    if (chainId !== undefined) return chainId;
    await sleep(PROBE_RETRY_MS, signal);
  }
  return undefined;
}
