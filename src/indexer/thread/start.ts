import { randomBytes } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { BaseLogger, LevelWithSilent } from "pino";
import type { ChainOptions } from "../../chain/options.ts";
import { sleep } from "../../core/async.ts";
import type { CountedMetrics } from "../../telemetry/metrics.ts";
import type { SyncOptions } from "../context.ts";
import { type IndexerStatus, initialStatus } from "./status.ts";

/** The indexer's settings as plain data. */
export interface IndexerSettings {
  databaseUrl: string;
  databaseSchema: string;
  /** Most connections, including one for the writer's lock. */
  databaseConnections: number;
  logLevel: LevelWithSilent;
  /** Added to every log record; absent with one chain. */
  chainName?: string;
  /** Threads' compile cache: the next thread starts faster, and with less memory. */
  compiledFolder: string;
  /** Heap limit of the thread; above it the thread ends and is replaced. */
  memoryMb: number;
  chain: Omit<ChainOptions, "log" | "signal" | "onRequest">;
  sync: Omit<SyncOptions, "log" | "signal" | "status">;
}

/** Start data of the indexer's thread. */
export interface ThreadSettings extends IndexerSettings {
  /** Distinguishes this process's indexers from others. */
  processName: string;
}

export type WorkerMessage =
  | { status: IndexerStatus; counted: CountedMetrics }
  | { fatal: string; publicReason: string };

export type Indexer = ReturnType<typeof startIndexer>;

const PROCESS_NAME = randomBytes(4).toString("hex");
const RESTART_PAUSE_MS = 1_000;
/** Blocks are short-lived and large. V8's default would be several times larger, and no faster. */
const YOUNG_GENERATION_MB = { alone: 32, amongOthers: 8 };

/** Starts the indexer in a thread, replaced when it dies. `onFatal` gets the reason why indexing cannot continue, and its public form. */
export function startIndexer(
  settings: IndexerSettings,
  {
    log,
    onFatal,
  }: { log: Pick<BaseLogger, "error">; onFatal: (reason: string, publicReason: string) => void },
) {
  let status = initialStatus();
  let counted: CountedMetrics = [];
  let heardAt = performance.now();
  let stopping = false;
  let worker = startWorker();
  let ended = watch(worker);

  function startWorker(): Worker {
    return new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: { ...settings, processName: PROCESS_NAME } satisfies ThreadSettings,
      env: { ...process.env, NODE_COMPILE_CACHE: settings.compiledFolder },
      resourceLimits: {
        maxYoungGenerationSizeMb:
          YOUNG_GENERATION_MB[settings.chainName === undefined ? "alone" : "amongOthers"],
        maxOldGenerationSizeMb: settings.memoryMb,
      },
    });
  }

  async function watch(watched: Worker): Promise<void> {
    watched.on("message", (message: WorkerMessage) => {
      if ("status" in message) {
        ({ status, counted } = message);
        heardAt = performance.now();
      } else {
        stopping = true;
        onFatal(message.fatal, message.publicReason);
      }
    });
    watched.on("error", (error) => log.error({ err: error }, "the indexer's thread died"));
    await new Promise((resolve) => watched.once("exit", resolve));
    if (stopping) return;
    await sleep(RESTART_PAUSE_MS);
    if (stopping) return;
    worker = startWorker();
    ended = watch(worker);
  }

  return {
    /** Returns the indexer's last status. */
    status: () => status,
    /** Returns the seconds since then. */
    silence: () => Math.floor((performance.now() - heardAt) / 1_000),
    /** Returns the thread's metrics so far. */
    counted: () => counted,
    async stop() {
      stopping = true;
      worker.postMessage("stop");
      await ended;
    },
  };
}
