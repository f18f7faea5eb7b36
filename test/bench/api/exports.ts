import { sleep } from "../../../src/core/async.ts";
import { peakMemory } from "../measure/usage.ts";
import { latencyOf, timeOf } from "./load.ts";
import { pathOf } from "./requests.ts";
import type { Stage } from "./stage.ts";

/** Clients that take files without a pause; the server makes eight at once and refuses the others. */
const EXPORTERS = 20;
const LIST =
  "/api?module=account&action=txlistinternal&include_zero_value=true&sort=asc&format=ndjson";
const MEGABYTE = 1024 * 1024;

/** Measures what answers cost while whole lists are taken as files, beside what they cost before. */
export async function measureExports(stage: Stage): Promise<void> {
  const { bench, sizes, client, product, questions } = stage;
  bench.say("asking while lists are taken as files");
  const paths = questions.hot.map(pathOf);
  const round = async () => {
    const times: number[] = [];
    for (let run = 0; run < sizes.rounds * sizes.perRound; run++) {
      for (const path of paths) times.push(await timeOf(() => client.get(path)));
    }
    return latencyOf(times);
  };
  const alone = await round();
  const before = await peakMemory(product.pid);
  const end = new AbortController();
  const exporters = Array.from({ length: EXPORTERS }, (_, index) =>
    takeFiles(`${product.url}${LIST}`, `10.0.0.${index + 1}`, end.signal),
  );
  const beside = await round();
  end.abort();
  const files = (await Promise.all(exporters)).reduce((sum, count) => sum + count, 0);
  const memory = (await peakMemory(product.pid)) - before;
  bench.report({
    title: `While ${EXPORTERS} clients take files`,
    figures: [
      { name: "alone, 99th percentile", value: alone.p99, unit: "ms" },
      { name: "meanwhile, 99th percentile", value: beside.p99, unit: "ms" },
      { name: "ratio of them, at most 2", value: beside.p99 / alone.p99, unit: "" },
      { name: "files meanwhile", value: files, unit: "" },
      { name: "growth of the peak of memory", value: memory / MEGABYTE, unit: "MB" },
    ],
  });
}

/** Takes files until the signal; returns their number. */
async function takeFiles(url: string, client: string, signal: AbortSignal): Promise<number> {
  let files = 0;
  while (!signal.aborted) {
    const headers = { "x-forwarded-for": client };
    const taken = await fetch(url, { headers, signal })
      .then(async (response) => {
        for await (const _chunk of response.body ?? []);
        return response.ok;
      })
      .catch(() => false);
    if (taken) files++;
    else await sleep(100, signal);
  }
  return files;
}
