import type { FastifyInstance } from "fastify";
import { perChain, type ServedChain, type ServedChains } from "../api/serving/served-chain.ts";
import { getIndexHealth } from "../store/health.ts";

/** State of the synchronisation at one moment. */
export interface SyncSample {
  /** Unix seconds. */
  at: number;
  head: number | null;
  nodeHead: number | null;
  /** During a backfill: blocks up to here are recorded, though not served yet. */
  recorded: number | null;
}

const INTERVAL_MS = 5_000;
const SAMPLES = 120;

/** Samples the synchronisation of each chain; returns one's last ten minutes, oldest first. */
export function watchSync(
  app: FastifyInstance,
  served: ServedChains,
): (chain: ServedChain) => readonly SyncSample[] {
  const samplesOf = perChain((): SyncSample[] => []);
  let timer: NodeJS.Timeout | undefined;

  async function look(chain: ServedChain): Promise<void> {
    // A database that is down for a while leaves a gap.
    const health = await getIndexHealth(chain.sql).catch(() => undefined);
    if (!health) return;
    const samples = samplesOf(chain);
    samples.push({
      at: Date.now() / 1000,
      head: health.headNumber,
      nodeHead: health.indexer?.nodeHead ?? null,
      recorded: health.indexer?.backfill?.recorded ?? null,
    });
    if (samples.length > SAMPLES) samples.shift();
  }

  app.addHook("onListen", (done) => {
    timer = setInterval(() => served().forEach((chain) => void look(chain)), INTERVAL_MS).unref();
    done();
  });
  app.addHook("onClose", (_app, done) => {
    clearInterval(timer);
    done();
  });
  return samplesOf;
}
