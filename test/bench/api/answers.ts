import { createSql } from "../../../src/db/client.ts";
import type { Comparison } from "../measure/report.ts";
import { bareSqlOf } from "./bare-sql.ts";
import { type Latency, latencyOf, timeOf } from "./load.ts";
import { pathOf, type Question } from "./requests.ts";
import type { Sizes, Stage } from "./stage.ts";

/** Measures what each answer costs over HTTP, and what its SQL costs alone. */
export async function compareWithSql(stage: Stage): Promise<void> {
  const { bench, sizes, client, questions } = stage;
  // One connection, as the same statement is prepared again on each.
  const sql = createSql(stage.database.url, { connections: 1 });
  const rows: Comparison["rows"] = [];
  bench.say("warming up");
  const paths = questions.hot.map(pathOf);
  for (let run = 0; run < sizes.rounds * sizes.perRound; run++) {
    for (const path of paths) await client.get(path);
  }
  for (const question of questions.hot) {
    bench.say(`asking for ${question.name}`);
    const path = pathOf(question);
    const bareSql = await bareSqlOf(sql, question);
    const [overHttp, alone] = await inTurns(sizes, [() => client.get(path), bareSql]);
    const ratio = overHttp.median / alone.median;
    rows.push({
      name: question.name,
      values: [overHttp.median, overHttp.p99, alone.median, ratio],
    });
  }
  await sql.end({ timeout: 1 });
  bench.report({
    title: "Answers over HTTP beside their SQL",
    columns: [
      { name: "median", unit: "ms" },
      { name: "99th percentile", unit: "ms" },
      { name: "SQL alone, median", unit: "ms" },
      { name: "ratio", unit: "", goal: "at most 2.5" },
    ],
    rows,
  });
}

/** Compares pages of the longest list, and the first of a short one. */
export async function comparePages({ bench, sizes, client, questions }: Stage): Promise<void> {
  bench.say("asking for near and far pages");
  const { hottest, ordinary, last } = questions.pages;
  const ask = (question: Question) => () => client.get(pathOf(question));
  const pages = await inTurns(sizes, [ask(hottest), ask(ordinary), ask(last)]);
  const [ofHottest, ofOrdinary, ofLast] = [pages[0].median, pages[1].median, pages[2].median];
  bench.report({
    title: "Pages of txlist, medians",
    figures: [
      { name: "first page of the hottest address", value: ofHottest, unit: "ms" },
      { name: "first page of an address with 50", value: ofOrdinary, unit: "ms" },
      { name: "hottest to ordinary", value: ofHottest / ofOrdinary, unit: "", goal: "at most 2" },
      { name: "last page of the window", value: ofLast, unit: "ms" },
      { name: "last to first", value: ofLast / ofHottest, unit: "", goal: "at most 10" },
    ],
  });
}

/** Times each of the tasks, alternating their rounds: other load on the machine affects all of them. */
export async function inTurns<const Tasks extends readonly (() => Promise<unknown>)[]>(
  { rounds, perRound }: Pick<Sizes, "rounds" | "perRound">,
  tasks: Tasks,
): Promise<{ [Index in keyof Tasks]: Latency }> {
  const times: number[][] = tasks.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, task] of tasks.entries()) {
      for (let run = 0; run < perRound; run++) {
        const milliseconds = await timeOf(task);
        // The first round warms up.
        if (round >= 0) times[index]?.push(milliseconds);
      }
    }
  }
  return times.map(latencyOf) as { [Index in keyof Tasks]: Latency };
}
