import type { BenchChain } from "../chain/start.ts";
import { latencyOf, timeOf } from "./load.ts";
import { pathOf, type Question } from "./requests.ts";
import { type Stage, servedNumber } from "./stage.ts";

/** Measures what answers cost while the same process indexes many blocks, beside what they cost before. */
export async function measureMeanwhile(stage: Stage, chain: BenchChain): Promise<void> {
  const { bench, sizes, client, questions } = stage;
  bench.say("asking while blocks are indexed");
  const asked = questions.hot.filter(isAnsweredMeanwhile).map((question) => ({
    name: question.name,
    path: pathOf(question),
    alone: [] as number[],
    meanwhile: [] as number[],
  }));
  for (let run = 0; run < sizes.rounds * sizes.perRound; run++) {
    for (const { path, alone } of asked) alone.push(await timeOf(() => client.get(path)));
  }
  const { head } = await chain.mine(sizes.newBlocks);
  do {
    for (const { path, meanwhile } of asked) meanwhile.push(await timeOf(() => client.get(path)));
  } while ((await servedNumber(client)) < head.number);
  bench.report({
    title: `While ${sizes.newBlocks} blocks are indexed`,
    columns: [
      { name: "alone, median", unit: "ms" },
      { name: "meanwhile, median", unit: "ms" },
      { name: "meanwhile, 99th percentile", unit: "ms" },
      { name: "ratio of the medians", unit: "", goal: "at most 2" },
    ],
    rows: asked.map(({ name, alone, meanwhile }) => {
      const [before, beside] = [latencyOf(alone), latencyOf(meanwhile)];
      return {
        name,
        values: [before.median, beside.median, beside.p99, beside.median / before.median],
      };
    }),
  });
}

/** Balances that a backfill has touched are read from the node once it is over, and until then refused or asked for. */
function isAnsweredMeanwhile({ name }: Question): boolean {
  return name !== "getTokenHolders" && name !== "balance";
}
