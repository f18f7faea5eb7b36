import { openHttpClient } from "../measure/http-client.ts";
import { median, quantile } from "../measure/statistics.ts";
import { cpuSeconds } from "../measure/usage.ts";

/** Times of answers in milliseconds. */
export interface Latency {
  median: number;
  p99: number;
}

/** Measures a server under more requests than it can answer. */
export interface Saturation extends Latency {
  requestsPerSecond: number;
  /** Throughput of one core of the server's process. */
  requestsPerCpuSecond: number;
}

/** That ask at the same time. */
export const CONNECTIONS = 32;

/** Sums up times in milliseconds. */
export function latencyOf(times: readonly number[]): Latency {
  return { median: median(times), p99: quantile(times, 0.99) };
}

/** Time of one run in milliseconds. */
export async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** Asks the same question over many connections at once for a while; `pid` is the server's. */
export async function saturate(
  url: string,
  pid: number,
  path: string,
  milliseconds: number,
): Promise<Saturation> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openHttpClient(url)));
  const times: number[] = [];
  const cpuBefore = await cpuSeconds(pid);
  const startedAt = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - startedAt < milliseconds) {
        times.push(await timeOf(() => client.get(path)));
      }
      client.close();
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = (await cpuSeconds(pid)) - cpuBefore;
  return {
    ...latencyOf(times),
    requestsPerSecond: times.length / seconds,
    requestsPerCpuSecond: times.length / cpu,
  };
}
