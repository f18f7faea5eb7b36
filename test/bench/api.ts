import path from "node:path";
import type { Sql } from "../../src/db/client.ts";
import { comparePages, compareWithSql } from "./api/answers.ts";
import { measureExports } from "./api/exports.ts";
import { fillDatabase } from "./api/fill.ts";
import { measureMeanwhile } from "./api/meanwhile.ts";
import { chooseQuestions, type Questions } from "./api/requests.ts";
import { measureSaturation } from "./api/saturation.ts";
import { type Sizes, untilServed } from "./api/stage.ts";
import type { Bench } from "./bench.ts";
import { chainShape } from "./chain/shape.ts";
import { startChain } from "./chain/start.ts";
import { countRows } from "./measure/database.ts";
import { openHttpClient } from "./measure/http-client.ts";
import { startProduct } from "./measure/product.ts";
import { peakMemory } from "./measure/usage.ts";

const FULL: Sizes = {
  blocks: 10_000,
  newBlocks: 1_500,
  rounds: 10,
  perRound: 50,
  saturationMs: 4_000,
};
const QUICK: Sizes = { blocks: 12, newBlocks: 12, rounds: 2, perRound: 10, saturationMs: 300 };
const MEGABYTE = 1024 * 1024;

/** Measures what the API costs on top of its SQL, under load, and while blocks are indexed in the same process. */
export async function benchApi(bench: Bench, blocks: number | undefined): Promise<void> {
  const defaults = bench.quick ? QUICK : FULL;
  const sizes = { ...defaults, blocks: blocks ?? defaults.blocks };
  const shape = chainShape({ head: sizes.blocks, servedFrom: sizes.blocks + 1 });
  const database = await bench.server.create("api");
  bench.say(`filling a database with ${shape.head} blocks`);
  const [chain] = await Promise.all([startChain(shape), fillDatabase(database.sql, shape)]);
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    settings: {
      RPC_URL: chain.url,
      DATABASE_URL: database.url,
      DATA_DIR: path.join(bench.folder, "data"),
      FINALITY_DEPTH: "0",
      TRUSTED_PROXIES: "127.0.0.1",
    },
  });
  const client = await openHttpClient(product.url);
  try {
    await untilServed(client, shape.head);
    const questions = await chooseQuestions(database.sql);
    const stage = { bench, sizes, database, product, client, questions };
    await reportSize(bench, database.sql, questions);
    await compareWithSql(stage);
    await comparePages(stage);
    await measureSaturation(stage);
    await measureExports(stage);
    await measureMeanwhile(stage, chain);
    const memory = (await peakMemory(product.pid)) / MEGABYTE;
    bench.report({
      title: "Memory",
      figures: [{ name: "peak of Periscope in all of this", value: memory, unit: "MB" }],
    });
  } finally {
    client.close();
    await product.stop();
    await chain.stop();
    await database.drop();
  }
}

async function reportSize(bench: Bench, sql: Sql, { hottestCount }: Questions): Promise<void> {
  const rows = await countRows(sql);
  const tables = [...rows].map(([name, value]) => ({ name: name.replaceAll("_", " "), value }));
  bench.report({
    title: "The database that is asked",
    figures: [
      ...tables.map((table) => ({ ...table, unit: "rows" })),
      { name: "transactions of the hottest address", value: hottestCount, unit: "" },
    ],
  });
}
