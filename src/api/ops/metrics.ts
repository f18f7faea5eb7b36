import type { FastifyInstance } from "fastify";
import { measureState, type StateMetric } from "../../telemetry/metrics.ts";
import {
  METRICS_TYPE,
  type ProcessMetrics,
  renderMetrics,
} from "../../telemetry/process-metrics.ts";
import { knownChainId, type ServedChain } from "../serving/served-chain.ts";
import { type ChainState, getLag, type HealthOptions, readOpenJobs, readState } from "./health.ts";

export interface MetricsOptions {
  /** Metrics of the whole process; each chain has its own. */
  metrics: ProcessMetrics;
}

/** Counts a server's answers. */
export function countAnswers(app: FastifyInstance, { metrics }: MetricsOptions): void {
  app.addHook("onResponse", (request, reply, done) => {
    const { actionName, routeOptions, chain } = request;
    const [module = "", action = "none"] = actionName?.split("/") ?? ["none", routeOptions.url];
    const chainId = chain && knownChainId(chain);
    const labels = { module, action, ...(chainId && { chain: String(chainId) }) };
    metrics.httpRequests.inc({ ...labels, status: reply.statusCode });
    metrics.httpSeconds.observe(labels, reply.elapsedTime / 1000);
    done();
  });
}

/** Adds `/metrics`. Metrics carry the chain's id; with several chains, those of the process carry none. */
export function addMetrics(app: FastifyInstance, options: HealthOptions & MetricsOptions): void {
  app.get("/metrics", async ({ chains }, reply) => {
    const ofChains = await Promise.all(chains.map((chain) => measure(chain, options)));
    const ofProcess = await options.metrics.registry.getMetricsAsJSON();
    const [only] = ofChains;
    const labels = ofChains.length === 1 && only ? only.labels : {};
    const text = await renderMetrics([...ofChains, { counted: [ofProcess], labels }]);
    return reply.header("content-type", METRICS_TYPE).send(text);
  });
}

async function measure(chain: ServedChain, options: HealthOptions) {
  const state = await readState(chain, options);
  const chainId = state.health?.chainId ?? knownChainId(chain);
  return {
    counted: [
      await measureState(await describeState(chain, options, state)),
      await chain.metrics.registry.getMetricsAsJSON(),
      chain.countedElsewhere(),
    ],
    labels: chainId === undefined ? {} : { chain: String(chainId) },
  };
}

type Value = StateMetric["values"][number]["value"];

/** Returns gauges of the present state, independent of the causing process. */
async function describeState(
  served: ServedChain,
  { version, commit }: HealthOptions,
  { health, problems }: ChainState,
): Promise<StateMetric[]> {
  const indexer = health?.indexer;
  const tokens = indexer?.tokens;
  const jobs = health && (await readOpenJobs(served));
  const headAge = health?.headTimestamp && Date.now() / 1000 - health.headTimestamp;
  const nodes = served.chain.status().map(({ node, usable }) => [node, usable]);
  const single: Record<string, [help: string, value: Value]> = {
    database_up: ["1 while the database answers", health !== undefined],
    ready: ["1 while answers are complete and current", problems.length === 0],
    head_block: ["Newest block that is served", health?.headNumber],
    head_age_seconds: ["Age of that block", headAge],
    node_head_block: ["Newest block of the node", indexer?.nodeHead],
    lag_blocks: ["Blocks of the node not served yet", health && getLag(health)],
    gap_blocks: ["Blocks missing at or below the head", health?.gaps],
    generation: ["Reorganisations followed so far", health?.generation],
    traced: ["1 when internal transactions are indexed", health?.traced],
    indexer_report_age_seconds: ["Time since the indexer last reported", health?.indexerAgeSeconds],
    stale_tokens: ["Tokens of which all holdings are being read again", tokens?.stale],
    stale_tokens_age_seconds: ["Time that the oldest of them has waited", tokens?.oldestSeconds],
    verification_clients: ["Clients with waiting verifications", jobs?.clients],
    verification_wait_seconds: [
      "Time that the first verification in the queue has waited",
      jobs?.waitSeconds,
    ],
  };
  const labelled: Record<string, [help: string, label: string, of: object | null | undefined]> = {
    indexer_phase: ["1 for the indexer's phase", "phase", indexer && { [indexer.phase]: 1 }],
    pending_state: [
      "State pending a read from the node, counted up to a limit",
      "kind",
      indexer?.pending,
    ],
    marked_tokens: [
      "Tokens whose contract disagreed with their transfers and that are read on request, by reason",
      "reason",
      tokens?.marked,
    ],
    verification_jobs: [
      "Verifications that are not finished",
      "state",
      { pending: jobs?.pending, running: jobs?.running },
    ],
    node_usable: ["1 while a node answers", "node", Object.fromEntries(nodes)],
  };
  const info = { value: 1, labels: { version, ...(commit && { commit }) } };
  return [
    { name: "periscope_info", help: "Version and commit of the program", values: [info] },
    ...Object.entries(single).map(([name, [help, value]]) => ({
      name: `periscope_${name}`,
      help,
      values: [{ value }],
    })),
    ...Object.entries(labelled).map(([name, [help, label, of]]) => ({
      name: `periscope_${name}`,
      help,
      values: Object.entries(of ?? {}).map(([key, value]) => ({ value, labels: { [label]: key } })),
    })),
  ];
}
