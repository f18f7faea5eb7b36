import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Histogram,
  Registry,
} from "prom-client";
import { type CountedMetrics, countEventLoop, REQUEST_SECONDS } from "./metrics.ts";

/** The metrics of the process as a whole. */
export type ProcessMetrics = ReturnType<typeof createProcessMetrics>;

/** Gauges that only sum up others, with names reserved for counters. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

/** Creates the metrics of the process as a whole. Labels never contain text of a request. */
export function createProcessMetrics() {
  const registry = new Registry();
  const registers = [registry];
  countEventLoop(registry, "main");
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return {
    registry,
    httpRequests: new Counter({
      name: "periscope_http_requests_total",
      help: "Requests answered",
      labelNames: ["module", "action", "status", "chain"] as const,
      registers,
    }),
    httpSeconds: new Histogram({
      name: "periscope_http_request_duration_seconds",
      help: "Time from a request's headers to the end of its answer",
      labelNames: ["module", "action", "chain"] as const,
      buckets: REQUEST_SECONDS,
      registers,
    }),
    rateLimited: new Counter({
      name: "periscope_http_rate_limited_total",
      help: "Requests refused with HTTP 429, by how the client was identified",
      labelNames: ["client"] as const,
      registers,
    }),
  };
}

/** Sums the threads' metrics and renders them in the text format of Prometheus. Every sample has the labels of its part. */
export function renderMetrics(
  parts: readonly {
    counted: readonly CountedMetrics[];
    labels: Readonly<Record<string, string>>;
  }[],
): Promise<string> {
  const labelled = parts.flatMap(({ counted, labels }) =>
    counted.map((metrics) =>
      metrics.map((metric) => ({
        ...metric,
        values: metric.values.map((value) => ({
          ...value,
          labels: { ...value.labels, ...labels, ...value.labels },
        })),
      })),
    ),
  );
  return AggregatorRegistry.aggregate(labelled).metrics();
}

/** Content type of `renderMetrics`. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
