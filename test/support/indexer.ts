import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import type { Chain } from "../../src/chain/chain.ts";
import { createChain } from "../../src/chain/client.ts";
import { createSql, type Sql } from "../../src/db/client.ts";
import { runIndexer } from "../../src/indexer/indexer.ts";
import { stateFamilies } from "../../src/indexer/state/families.ts";
import type { StateFamily } from "../../src/indexer/state/family.ts";
import { type IndexerStatus, initialStatus } from "../../src/indexer/thread/status.ts";
import { WRITER_SILENCE_MS } from "../../src/store/writer/writer.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";

export interface TestIndexerOptions {
  databaseUrl: string;
  rpcUrls: string[];
  webSocketUrl?: string;
  startBlock?: number;
  finalityDepth?: number;
  traces?: "auto" | "off";
  allowReset?: boolean;
  requestTimeoutMs?: number;
  /** Default: no audit in the time of a test. */
  auditIntervalMs?: number;
  /** Default: as the product. */
  writerSilenceMs?: number;
  /** Wait for a head after which a calm indexer looks for due work, and sweeps; default 250 ms, in the product 5 to 15 s. */
  headSilenceMs?: number;
  /** Default off: the scripted node makes provable blocks only on request. */
  proofs?: boolean;
  /** Default: all of the product's. */
  families?: readonly StateFamily[];
}

/** An indexer in this process, on real parts. */
export interface TestIndexer {
  status(): IndexerStatus;
  /** True if the published head has this hash and no state is left to be read. */
  isAt(hash: string): Promise<boolean>;
  /** Waits until `isAt`, and lets the rest between two passes of a token pass meanwhile; fails after 90 s. */
  reach(hash: string): Promise<void>;
  /** Waits until the condition holds; fails after 90 s with the indexer's status. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 90_000;
/** Each question costs a scripted node and its indexer, which share a process, 2 ms. */
const POLL_INTERVAL_MS = 50;
/** Of conditions that are waited for; the second one is for those that take long. */
const LOOK_INTERVALS_MS = [20, 100] as const;
const LONG_MS = 500;
const HEAD_SILENCE_MS = 250;
/** Longest rest of a marked token between two full passes, in place of 10 s. */
const REST_MS = 200;

/** Starts an indexer on a migrated database and one or several nodes. */
export function startTestIndexer(options: TestIndexerOptions): TestIndexer {
  const controller = new AbortController();
  const { signal } = controller;
  const log = pino({ level: process.env["TEST_LOG_LEVEL"] ?? "silent" });
  const sql = createSql(options.databaseUrl, { connections: 8, asynchronousCommit: true });
  const lockSql = createSql(options.databaseUrl, {
    connections: 1,
    idleTimeoutMs: options.writerSilenceMs ?? WRITER_SILENCE_MS,
  });
  const chain = createChain({
    urls: options.rpcUrls,
    ...(options.webSocketUrl === undefined ? {} : { webSocketUrl: options.webSocketUrl }),
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    batchSize: 100,
    concurrency: 8,
    maxResponseBytes: 256 * 1024 * 1024,
    traces: options.traces ?? "auto",
    log,
    signal,
  });
  let status = initialStatus();
  const running = runIndexer({
    chain: inShortSilences(chain, options.headSilenceMs ?? HEAD_SILENCE_MS),
    sql,
    lockSql,
    families: options.families ?? stateFamilies,
    metrics: createMetrics("indexer"),
    log,
    signal,
    startBlock: options.startBlock ?? 0,
    chainId: undefined,
    finalityDepth: options.finalityDepth ?? 64,
    pollIntervalMs: POLL_INTERVAL_MS,
    auditIntervalMs: options.auditIntervalMs ?? 3_600_000,
    proofs: options.proofs ?? false,
    allowReset: options.allowReset ?? false,
    onStatus: (news) => {
      status = news;
    },
  });

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const began = Date.now();
    while (!(await condition())) {
      const waitedMs = Date.now() - began;
      if (waitedMs > PATIENCE_MS) {
        throw new Error(`the indexer did not get there: ${JSON.stringify(status)}`);
      }
      await sleep(LOOK_INTERVALS_MS[waitedMs < LONG_MS ? 0 : 1]);
    }
  }

  async function isAt(hash: string): Promise<boolean> {
    // A connection that was lost may fail the first statement of the next one with what it was lost by.
    const [state] = await sql<{ reached: boolean }[]>`
      SELECT head_hash = ${hash as `0x${string}`}
        AND NOT EXISTS (SELECT FROM addresses WHERE balance_block IS NULL)
        AND NOT EXISTS (SELECT FROM token_balances WHERE block_number IS NULL)
        AND NOT EXISTS (SELECT FROM token_id_balances WHERE block_number IS NULL)
        AND NOT EXISTS (SELECT FROM tokens WHERE metadata_block IS NULL OR supply_block IS NULL)
        AND NOT EXISTS (SELECT FROM tokens WHERE stale_block IS NOT NULL OR unnamed_from IS NOT NULL)
        AS reached FROM sync_state`.catch(() => []);
    return state?.reached ?? false;
  }

  return {
    status: () => status,
    until,
    isAt,
    async reach(hash) {
      let restsEndAt = 0;
      await until(async () => {
        if (await isAt(hash)) return true;
        if (Date.now() < restsEndAt) return false;
        restsEndAt = Date.now() + REST_MS;
        await endRests(sql).catch(() => {});
        return false;
      });
    },
    async stop() {
      controller.abort();
      await running;
      await chain.close();
      await Promise.all([sql.end({ timeout: 1 }), lockSql.end({ timeout: 1 })]);
    },
  };
}

/** Lets full passes of marked tokens begin at once. */
async function endRests(sql: Sql): Promise<void> {
  await sql`UPDATE tokens SET stale_since = now() WHERE stale_since > now()`;
}

/** Ends each wait of the chain for a head earlier. */
function inShortSilences(chain: Chain, silenceMs: number): Chain {
  const { watchHeads } = chain;
  return Object.assign(chain, {
    watchHeads(options: Parameters<typeof watchHeads>[0]) {
      const heads = watchHeads(options);
      const next = (timeoutMs: number) => heads.next(Math.min(timeoutMs, silenceMs));
      return { ...heads, next };
    },
  });
}
