import type { FastifyInstance } from "fastify";
import pino from "pino";
import type { ServedChain, ServedChains } from "../../src/api/serving/served-chain.ts";
import { createServer, type ServerOptions } from "../../src/api/serving/server.ts";
import type { Chain } from "../../src/chain/chain.ts";
import { createChain } from "../../src/chain/client.ts";
import { createUses } from "../../src/core/async.ts";
import type { Sql } from "../../src/db/client.ts";
import { addPages } from "../../src/pages/pages.ts";
import { createLabelFiles } from "../../src/settings/labels-file.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { createProcessMetrics } from "../../src/telemetry/process-metrics.ts";
import type { Verifier } from "../../src/verification/verifier.ts";
import { bundledCatalogue } from "./bundled-verifier.ts";
import { createTestDatabase } from "./postgres.ts";
import { startTestVerifier } from "./verifier.ts";

/** The server over a database of its own. */
export interface TestApp {
  app: FastifyInstance;
  sql: Sql;
  chain: Chain;
  /** The one chain that is served. */
  served: ServedChain;
  /** Ends the server and removes the database. */
  close(): Promise<void>;
}

export interface TestAppOptions
  extends Partial<Omit<ServerOptions, "chains">>,
    Partial<Omit<ServedChain, "log" | "metrics">> {
  /** Default: a port where no node is. */
  nodeUrl?: string;
  /** SQL that fills the database. */
  content?: string;
  /** Has a verifier of its own with the bundled compiler. */
  verifies?: boolean;
  /** The served chains, given the app's own; default: only that. */
  chains?: (own: ServedChain) => ReturnType<ServedChains>;
}

export const TEST_CHAIN_ID = 31_337;
/** Every question to a missing verifier fails its test. */
const noVerifier = new Proxy({} as Verifier, {
  get: (_target, name) => {
    throw new Error(`this test has no verifier, yet verifier.${String(name)} was used`);
  },
});
const NO_NODE = "http://127.0.0.1:1";

/** Builds the server over an empty, migrated database; fill it with the builders of build.ts. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const {
    nodeUrl = NO_NODE,
    content,
    verifies = false,
    chains = (own) => [own],
    ...serverOptions
  } = options;
  const { log: _log, metrics: _metrics, ...ofChain } = serverOptions;
  const database = await createTestDatabase(content);
  const log = pino({ level: "silent" });
  const controller = new AbortController();
  const chain = createChain({
    urls: [nodeUrl],
    requestTimeoutMs: 5_000,
    batchSize: 100,
    concurrency: 8,
    maxResponseBytes: 64 * 1024 * 1024,
    traces: "off",
    log,
    signal: controller.signal,
  });
  const verifier = verifies
    ? startTestVerifier({
        sql: database.sql,
        chain,
        catalogue: bundledCatalogue,
        concurrency: 1,
        log,
      })
    : undefined;
  const served: ServedChain = {
    sql: database.sql,
    chain,
    chainId: () => TEST_CHAIN_ID,
    verifier: verifier ?? noVerifier,
    log,
    staticReward: 0n,
    priceFeeds: {},
    labels: () => createLabelFiles().labels(undefined, TEST_CHAIN_ID),
    networkName: undefined,
    coinSymbol: "ETH",
    sendRawTransaction: true,
    metrics: createMetrics(),
    countedElsewhere: () => [],
    ownIndexer: () => null,
    requests: createUses(),
    stopped: () => null,
    ...ofChain,
  };
  const app = createServer(
    {
      chains: () => chains(served),
      log,
      rpcBatchLimit: 5,
      operationsApart: false,
      version: "0.0.0-test",
      commit: "c0".repeat(20),
      requestTimeoutMs: 60_000,
      networkName: undefined,
      publicUrl: undefined,
      mcpOrigins: [],
      robotsAllowed: false,
      coinSymbol: "ETH",
      trustedProxies: [],
      rateLimit: 0,
      apiKeys: [],
      apiKeyRateLimit: 0,
      metrics: createProcessMetrics(),
      ...serverOptions,
    },
    addPages,
  );
  await app.ready();
  return {
    app,
    sql: database.sql,
    chain,
    served,
    close: async () => {
      await app.close();
      await verifier?.close();
      controller.abort();
      await chain.close();
      await database.drop();
    },
  };
}
