import type * as prometheus from "prom-client";
import { Counter, Gauge, Histogram, Registry } from "../core/deep-imports.ts";

/** The metrics of a chain in one thread. Every thread has its own; `renderMetrics` sums them. */
export type Metrics = ReturnType<typeof createMetrics>;

/** A thread's metrics as plain data, for another thread. */
export type CountedMetrics = prometheus.MetricObjectWithValues<prometheus.MetricValue<string>>[];

/** Stages of indexing a block. */
export type IndexingStage = "fetch" | "decode" | "record" | "state" | "publish" | "rollback";

/** Upper bounds of the histogram of requests. */
export const REQUEST_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];
const QUERY_SECONDS = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const VERIFICATION_SECONDS = [0.3, 1, 3, 10, 30, 100, 300];
const REORG_BLOCKS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Creates the metrics of a chain in one thread; `thread` adds the event loop of a thread that serves this chain alone. */
export function createMetrics(thread?: "indexer") {
  const registry = new Registry();
  const registers = [registry];
  if (thread !== undefined) countEventLoop(registry, thread);
  return {
    registry,
    rpcRequests: new Counter({
      name: "periscope_rpc_requests_total",
      help: "HTTP requests to nodes, by JSON-RPC method and outcome",
      labelNames: ["method", "outcome"] as const,
      registers,
    }),
    rpcSeconds: new Histogram({
      name: "periscope_rpc_request_duration_seconds",
      help: "Time that a node took for a request, by JSON-RPC method",
      labelNames: ["method"] as const,
      buckets: REQUEST_SECONDS,
      registers,
    }),
    databaseSeconds: new Histogram({
      name: "periscope_database_query_duration_seconds",
      help: "Time of the API's queries, including the wait for a connection",
      buckets: QUERY_SECONDS,
      registers,
    }),
    databaseQueries: new Gauge({
      name: "periscope_database_queries",
      help: "The API's running queries, including those that wait for a connection",
      registers,
    }),
    verificationSeconds: new Histogram({
      name: "periscope_verification_duration_seconds",
      help: "Time of a verification from its start to its outcome",
      labelNames: ["outcome"] as const,
      buckets: VERIFICATION_SECONDS,
      registers,
    }),
    verificationSubmissions: new Counter({
      name: "periscope_verification_submissions_total",
      help: "Verifications submitted, by whether they were accepted or why they were refused",
      labelNames: ["outcome"] as const,
      registers,
    }),
    publishedBlocks: new Counter({
      name: "periscope_published_blocks_total",
      help: "Blocks published",
      registers,
    }),
    recordedRows: new Counter({
      name: "periscope_recorded_rows_total",
      help: "Rows copied into the chain tables",
      labelNames: ["table"] as const,
      registers,
    }),
    stageSeconds: new Histogram({
      name: "periscope_indexing_stage_duration_seconds",
      help: "Time of one indexing step for one range of blocks",
      labelNames: ["stage"] as const,
      buckets: REQUEST_SECONDS,
      registers,
    }),
    rejectedPayloads: new Counter({
      name: "periscope_rejected_payloads_total",
      help: "Blocks refused by the checks, by reason",
      labelNames: ["reason"] as const,
      registers,
    }),
    acceptedInconsistencies: new Counter({
      name: "periscope_accepted_inconsistencies_total",
      help: "Blocks that contradict themselves and were stored because all nodes agree, by kind",
      labelNames: ["kind"] as const,
      registers,
    }),
    blockProofs: new Counter({
      name: "periscope_block_proofs_total",
      help: "Parts of blocks proven by recomputing hashes and roots, by part and outcome",
      labelNames: ["part", "outcome"] as const,
      registers,
    }),
    audits: new Counter({
      name: "periscope_audit_checks_total",
      help: "Blocks, balances and holdings compared with the nodes, by kind and outcome",
      labelNames: ["kind", "outcome"] as const,
      registers,
    }),
    reorgBlocks: new Histogram({
      name: "periscope_reorg_depth_blocks",
      help: "Blocks removed by a reorganisation",
      buckets: REORG_BLOCKS,
      registers,
    }),
  };
}

/** Counts a request to a node; has the form of `ChainOptions.onRequest`. */
export function countRpcRequest(
  metrics: Metrics,
): (method: string, outcome: string, ms: number) => void {
  return (method, outcome, ms) => {
    metrics.rpcRequests.inc({ method, outcome });
    metrics.rpcSeconds.observe({ method }, ms / 1000);
  };
}

/** Counts the start of a query; call the result at its end. */
export function countQuery(metrics: Metrics): () => () => void {
  return () => {
    metrics.databaseQueries.inc();
    const end = metrics.databaseSeconds.startTimer();
    return () => {
      metrics.databaseQueries.dec();
      end();
    };
  };
}

/** Runs one stage of indexing and records its time, even when it fails. */
export async function timeStage<Result>(
  metrics: Metrics,
  stage: IndexingStage,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = metrics.stageSeconds.startTimer({ stage });
  try {
    return await work();
  } finally {
    end();
  }
}

/** A gauge of the present state. Unknown values are omitted. */
export interface StateMetric {
  name: string;
  help: string;
  values: { value: number | boolean | null | undefined; labels?: Record<string, string> }[];
}

/** Returns gauges of the present state, in the form of counted metrics. */
export function measureState(state: readonly StateMetric[]): Promise<CountedMetrics> {
  const registry = new Registry();
  for (const { name, help, values } of state) {
    const known = values.filter(({ value }) => value !== null && value !== undefined);
    if (known.length === 0) continue;
    const labelNames = Object.keys(known[0]?.labels ?? {});
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { value, labels = {} } of known) gauge.set(labels, Number(value));
  }
  return registry.getMetricsAsJSON();
}

/** Counts how long the event loop of this thread is busy. */
export function countEventLoop(registry: prometheus.Registry, thread: string): void {
  let counted = 0;
  new Counter({
    name: "periscope_event_loop_active_seconds_total",
    help: "Time that a thread's event loop was busy",
    labelNames: ["thread"],
    registers: [registry],
    collect() {
      const { active } = performance.eventLoopUtilization();
      this.inc({ thread }, (active - counted) / 1000);
      counted = active;
    },
  });
}
