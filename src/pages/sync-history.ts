import type { FastifyInstance } from "fastify";
import { perChain, type ServedChain, type ServedChains } from "../api/serving/served-chain.ts";
import { getIndexHealth, type IndexHealth } from "../store/health.ts";

/** Returns the state of the synchronisation now. */
function takeSample({ headNumber, indexer }: IndexHealth) {
  return {
    /** Unix seconds. */
    at: Date.now() / 1000,
    head: headNumber,
    nodeHead: indexer?.nodeHead ?? null,
    /** During a backfill: blocks up to here are recorded, though not served yet. */
    recorded: indexer?.backfill?.recorded ?? null,
  };
}

const INTERVAL_MS = 5_000;
const SAMPLES = 120;

/** Samples the synchronisation of each chain; returns one's last ten minutes, oldest first. */
export function watchSync(app: FastifyInstance, served: ServedChains) {
  const samplesOf = perChain((): ReturnType<typeof takeSample>[] => []);
  let timer: NodeJS.Timeout | undefined;

  async function look(chain: ServedChain): Promise<void> {
    // A database that is down for a while leaves a gap.
    const health = await getIndexHealth(chain.sql).catch(() => undefined);
    if (!health) return;
    const samples = samplesOf(chain);
    samples.push(takeSample(health));
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
