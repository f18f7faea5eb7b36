import { fork } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Comparison } from "../measure/report.ts";
import { CONNECTIONS, saturate } from "./load.ts";
import { pathOf } from "./requests.ts";
import type { Stage } from "./stage.ts";

/** Measures how much the API answers when it is asked as fast as it goes, beside an empty route of Fastify's. */
export async function measureSaturation(stage: Stage): Promise<void> {
  const { bench, sizes, product, questions } = stage;
  bench.say("asking as fast as it goes");
  const rows = [await rowOfEmptyRoute(sizes.saturationMs)];
  for (const question of questions.hot) {
    const { url, pid } = product;
    rows.push(await rowOf(question.name, url, pid, pathOf(question), sizes.saturationMs));
  }
  bench.report({
    title: `Asked over ${CONNECTIONS} connections at once`,
    columns: [
      { name: "requests", unit: "/s" },
      { name: "requests for each CPU second of Node", unit: "" },
      { name: "median", unit: "ms" },
      { name: "99th percentile", unit: "ms" },
    ],
    rows,
  });
}

async function rowOfEmptyRoute(milliseconds: number): Promise<Comparison["rows"][number]> {
  const server = fork(new URL("./empty-route.ts", import.meta.url));
  const [{ port }] = (await once(server, "message")) as [AddressInfo];
  const url = `http://127.0.0.1:${port}`;
  const row = await rowOf("empty Fastify route", url, server.pid as number, "/", milliseconds);
  server.disconnect();
  return row;
}

async function rowOf(
  name: string,
  url: string,
  pid: number,
  path: string,
  milliseconds: number,
): Promise<Comparison["rows"][number]> {
  const measured = await saturate(url, pid, path, milliseconds);
  const { requestsPerSecond, requestsPerCpuSecond, median, p99 } = measured;
  return { name, values: [requestsPerSecond, requestsPerCpuSecond, median, p99] };
}
