import { flushCompileCache } from "node:module";
import os from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { createChain } from "../../chain/client.ts";
import { ConfigError } from "../../core/errors.ts";
import { createSecrets } from "../../core/secrets.ts";
import { createSql } from "../../db/client.ts";
import { collectGarbage } from "../../process/garbage.ts";
import { WRITER_SILENCE_MS } from "../../store/writer/writer.ts";
import { createLogger } from "../../telemetry/logger.ts";
import { countRpcRequest, createMetrics } from "../../telemetry/metrics.ts";
import { runIndexer } from "../indexer.ts";
import { stateFamilies } from "../state/families.ts";
import type { ThreadSettings, WorkerMessage } from "./start.ts";
import type { IndexerStatus } from "./status.ts";

// The entry of the indexer's thread: creates its parts from the settings and runs until a stop message.

const settings = workerData as ThreadSettings;
const stop = new AbortController();
parentPort?.once("message", () => stop.abort());

const processLog = createLogger(settings.logLevel, createSecrets(settings.chain.secrets).redact);
const log =
  settings.chainName === undefined ? processLog : processLog.child({ chain: settings.chainName });
/** Niceness of an indexer thread; the API has priority. */
const NICE = 5;

// On Linux this sets the priority of the calling thread, elsewhere that of the whole process.
if (settings.chainName !== undefined && process.platform === "linux") os.setPriority(NICE);

let isSettled = false;

const metrics = createMetrics("indexer");
const schema = settings.databaseSchema;
const sql = createSql(settings.databaseUrl, {
  schema,
  applicationName: "periscope indexer",
  connections: settings.databaseConnections - 1,
  // A crash of the server can lose only the last commits, in order: a block's rows go together with
  // its head row. On several servers `writeAs` waits.
  asynchronousCommit: true,
});
const lockSql = createSql(settings.databaseUrl, {
  schema,
  applicationName: `periscope writer ${settings.processName}`,
  connections: 1,
  idleTimeoutMs: WRITER_SILENCE_MS,
});
const chain = createChain({
  ...settings.chain,
  log,
  signal: stop.signal,
  onRequest: countRpcRequest(metrics),
});

// No top-level await: Node crashes where a process ends while a thread evaluates a module with one.
void index();

async function index(): Promise<void> {
  try {
    await runIndexer({
      ...settings.sync,
      chain,
      sql,
      lockSql,
      families: stateFamilies,
      metrics,
      log,
      signal: stop.signal,
      onStatus: (status) => void report(status),
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    post({ fatal: error.message, publicReason: error.publicMessage });
  } finally {
    await chain.close();
    await Promise.all([sql.end({ timeout: 1 }), lockSql.end({ timeout: 1 })]);
    parentPort?.close();
  }
}

async function report(status: IndexerStatus): Promise<void> {
  post({ status, counted: await metrics.registry.getMetricsAsJSON() });
  if (isSettled || (status.phase !== "following" && status.phase !== "standby")) return;
  isSettled = true;
  // A killed process would not store the cache. Storing takes a third of a second, so it is done when nothing waits.
  flushCompileCache();
  // Start and first load leave garbage, and too little may follow to trigger a collection.
  await collectGarbage();
}

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
