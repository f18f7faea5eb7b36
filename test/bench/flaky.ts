import path from "node:path";
import type { Bench } from "./bench.ts";
import { chainShape } from "./chain/shape.ts";
import { SPOILAGES, type Spoilage } from "./chain/spoil.ts";
import { type BenchChain, startChain } from "./chain/start.ts";
import { measureBlocks } from "./head-latency.ts";
import { checkRows, isServed, isStateRead, until } from "./indexing.ts";
import { countRows } from "./measure/database.ts";
import { openHttpClient } from "./measure/http-client.ts";
import { startProduct } from "./measure/product.ts";
import type { Figure } from "./measure/report.ts";

const POLL_INTERVAL_MS = 50;

/** Turns at the head: some blocks from the node as it is, as many from the node when it spoils nothing. */
const TURNS = 8;
const BLOCKS_OF_TURN = 5;

interface Speed {
  kind: Spoilage;
  blocksPerSecond: number;
  /** From a block at the node to the block in the API, and the same in the turns in which nothing is spoilt. */
  headMs: number;
  cleanHeadMs: number;
}

/**
 * Indexes the same chain from a node that spoils a tenth of its answers in various ways, and, first
 * and last, from a sound one. At the head the two alternate. Counts the indexed rows each time.
 */
export async function benchFlaky(bench: Bench, blocks: number | undefined): Promise<void> {
  const head = blocks ?? (bench.quick ? 60 : 1_000);
  bench.say(`making a chain of ${head} blocks`);
  const chain = await startChain(chainShape({ head }));
  const speeds: Speed[] = [];
  try {
    for (const kind of [...SPOILAGES, "clean"] as const) {
      speeds.push(await measure(bench, chain, kind));
    }
  } finally {
    await chain.stop();
  }
  const clean = mean(
    speeds.filter(({ kind }) => kind === "clean").map((one) => one.blocksPerSecond),
  );
  const figures = speeds
    .filter(({ kind }) => kind !== "clean")
    .flatMap(({ kind, blocksPerSecond, headMs, cleanHeadMs }): Figure[] => [
      { name: `${kind}: block to API, mean`, value: headMs, unit: "ms" },
      {
        name: `${kind}: first load as a share of the clean one`,
        value: blocksPerSecond / clean,
        unit: "",
        goal: "at least 0.5",
      },
      {
        name: `${kind}: the head's speed as a share of the clean one`,
        value: cleanHeadMs / headMs,
        unit: "",
        goal: "at least 0.5",
      },
    ]);
  figures.unshift({ name: "clean: first load, mean of two", value: clean, unit: "blocks/s" });
  bench.report({ title: "Behind a node that spoils a tenth of its answers", figures });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function measure(bench: Bench, chain: BenchChain, kind: Spoilage): Promise<Speed> {
  bench.say(`indexing it from a node whose answers are ${kind}`);
  const database = await bench.server.create(`flaky_${kind}`);
  const { head } = await chain.spoil(kind);
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    settings: {
      RPC_URL: chain.url,
      DATABASE_URL: database.url,
      DATA_DIR: path.join(bench.folder, "data"),
      FINALITY_DEPTH: "0",
      POLL_INTERVAL_MS: String(POLL_INTERVAL_MS),
    },
  });
  try {
    await until(() => isServed(database.sql, head.number));
    const servedAt = performance.timeOrigin + performance.now();
    const { askedAt = servedAt } = await chain.report();
    await until(() => isStateRead(database.sql));
    // Not before: a server ends a connection over which nothing comes.
    const client = await openHttpClient(product.url);
    const [spoilt, unspoilt]: [number[], number[]] = [[], []];
    try {
      for (let turn = 0; turn < (bench.quick ? 1 : TURNS); turn++) {
        await chain.spoil(kind);
        spoilt.push(...(await measureBlocks(chain, client, BLOCKS_OF_TURN)));
        await chain.spoil("clean");
        unspoilt.push(...(await measureBlocks(chain, client, BLOCKS_OF_TURN)));
      }
    } finally {
      client.close();
    }
    const { totals } = await chain.report();
    checkRows(await countRows(database.sql), totals, true);
    return {
      kind,
      blocksPerSecond: (head.number * 1_000) / (servedAt - askedAt),
      headMs: mean(spoilt),
      cleanHeadMs: mean(unspoilt),
    };
  } finally {
    await product.stop();
    await database.drop();
  }
}
