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

// The entry of the indexer's thread: builds its parts from the settings and runs until it is told to stop.

const settings = workerData as ThreadSettings;
const stop = new AbortController();
parentPort?.once("message", () => stop.abort());

const processLog = createLogger(settings.logLevel, createSecrets(settings.chain.secrets).redact);
const log =
  settings.chainName === undefined ? processLog : processLog.child({ chain: settings.chainName });
/** Of a thread among those of other chains: answers come first. */
const NICE = 5;

// On Linux this is about the thread that asks for it, elsewhere about the whole process.
if (settings.chainName !== undefined && process.platform === "linux") os.setPriority(NICE);

let isSettled = false;

const metrics = createMetrics("indexer");
const schema = settings.databaseSchema;
const sql = createSql(settings.databaseUrl, {
  schema,
  applicationName: "periscope indexer",
  connections: settings.databaseConnections - 1,
  // A crash of the server can lose only the last commits, in order: a block's rows go together with its head row. Of several
  // servers `writeAs` waits.
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

// Without a top-level await: Node crashes where a process ends while a thread evaluates a module that has one.
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
  // A process that is killed keeps nothing by itself. It takes a third of a second, which nobody waits for any more.
  flushCompileCache();
  // Start and first load leave more than the thread needs from here on, and it may have too little to do to notice.
  await collectGarbage();
}

function post(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
