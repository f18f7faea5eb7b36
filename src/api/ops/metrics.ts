import type { FastifyInstance, FastifyRequest } from "fastify";
import { type CountedMetrics, measureState, type StateMetric } from "../../telemetry/metrics.ts";
import {
  METRICS_TYPE,
  type ProcessMetrics,
  renderMetrics,
} from "../../telemetry/process-metrics.ts";
import { knownChainId, type ServedChain } from "../serving/served-chain.ts";
import { type ChainState, type HealthOptions, lagOf, readOpenJobs, readState } from "./health.ts";

export interface MetricsOptions {
  /** Metrics of the whole process; each chain has its own. */
  metrics: ProcessMetrics;
}

/** Counts a server's answers. */
export function countAnswers(app: FastifyInstance, { metrics }: MetricsOptions): void {
  app.addHook("onResponse", (request, reply, done) => {
    const labels = labelsOf(request);
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

/** Returns all metrics of one chain. */
async function measure(
  chain: ServedChain,
  options: HealthOptions,
): Promise<{ counted: CountedMetrics[]; labels: Record<string, string> }> {
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

/** Returns module and action by the registry's names, or the route. No label contains text of the request. */
function labelsOf({ actionName, routeOptions, chain }: FastifyRequest) {
  const [module = "", action = "none"] = actionName?.split("/") ?? ["none", routeOptions.url];
  const chainId = chain && knownChainId(chain);
  return { module, action, ...(chainId && { chain: String(chainId) }) };
}

/** Returns gauges of the present state, independent of the causing process. */
async function describeState(
  served: ServedChain,
  options: HealthOptions,
  { health, problems }: ChainState,
): Promise<StateMetric[]> {
  const indexer = health?.indexer;
  const tokens = indexer?.tokens;
  const pending = Object.entries(indexer?.pending ?? {});
  const jobs = health && (await readOpenJobs(served));
  const nodes = served.chain.status();
  const headAge = health?.headTimestamp && Date.now() / 1000 - health.headTimestamp;
  return [
    {
      name: "periscope_info",
      help: "Version and commit of the program",
      values: [
        {
          value: 1,
          labels: { version: options.version, ...(options.commit && { commit: options.commit }) },
        },
      ],
    },
    single("periscope_database_up", "1 while the database answers", health !== undefined),
    single("periscope_ready", "1 while answers are complete and current", problems.length === 0),
    single("periscope_head_block", "Newest block that is served", health?.headNumber),
    single("periscope_head_age_seconds", "Age of that block", headAge),
    single("periscope_node_head_block", "Newest block of the node", indexer?.nodeHead),
    single("periscope_lag_blocks", "Blocks of the node not served yet", health && lagOf(health)),
    single("periscope_gap_blocks", "Blocks missing at or below the head", health?.gaps),
    single("periscope_generation", "Reorganisations followed so far", health?.generation),
    single("periscope_traced", "1 when internal transactions are indexed", health?.traced),
    single(
      "periscope_indexer_report_age_seconds",
      "Time since the indexer last reported",
      health?.indexerAgeSeconds,
    ),
    {
      name: "periscope_indexer_phase",
      help: "1 for the indexer's phase",
      values: indexer ? [{ value: 1, labels: { phase: indexer.phase } }] : [],
    },
    {
      name: "periscope_pending_state",
      help: "State pending a read from the node, counted up to a limit",
      values: pending.map(([kind, value]) => ({ value, labels: { kind } })),
    },
    {
      name: "periscope_marked_tokens",
      help: "Tokens whose contract disagreed with their transfers and that are read on request, by reason",
      values: Object.entries(tokens?.marked ?? {}).map(([reason, value]) => ({
        value,
        labels: { reason },
      })),
    },
    single(
      "periscope_stale_tokens",
      "Tokens of which all holdings are being read again",
      tokens?.stale,
    ),
    single(
      "periscope_stale_tokens_age_seconds",
      "Time that the oldest of them has waited",
      tokens?.oldestSeconds,
    ),
    {
      name: "periscope_verification_jobs",
      help: "Verifications that are not finished",
      values: (["pending", "running"] as const).map((state) => ({
        value: jobs?.[state],
        labels: { state },
      })),
    },
    single("periscope_verification_clients", "Clients with waiting verifications", jobs?.clients),
    single(
      "periscope_verification_wait_seconds",
      "Time that the first verification in the queue has waited",
      jobs?.waitSeconds,
    ),
    {
      name: "periscope_node_usable",
      help: "1 while a node answers",
      values: nodes.map(({ node, usable }) => ({ value: usable, labels: { node } })),
    },
  ];
}

function single(
  name: string,
  help: string,
  value: StateMetric["values"][number]["value"],
): StateMetric {
  return { name, help, values: [{ value }] };
}
