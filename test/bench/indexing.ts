import path from "node:path";
import { sleep } from "../../src/core/async.ts";
import type { Sql } from "../../src/db/client.ts";
import type { Bench } from "./bench.ts";
import type { ChainTotals } from "./chain/blocks.ts";
import { type ChainShape, chainShape } from "./chain/shape.ts";
import { type BenchChain, startChain } from "./chain/start.ts";
import { measureHeadLatency } from "./head-latency.ts";
import {
  copyTables,
  countRows,
  type Database,
  databaseBytes,
  dumpTables,
} from "./measure/database.ts";
import { startProduct } from "./measure/product.ts";
import { profileSections } from "./measure/profile.ts";
import type { Figure } from "./measure/report.ts";
import { cpuSeconds, peakMemory } from "./measure/usage.ts";

/** One chain to be indexed from its first block to its head. */
interface Scenario {
  name: string;
  shape: ChainShape;
  traced: boolean;
}

/** Result of the run. */
interface Outcome {
  seconds: number;
  nodeCpuSeconds: number;
  postgresCpuSeconds: number;
  chainCpuSeconds: number;
  peakMemory: number;
  /** Until no state was left to be read, from the head on. */
  stateSeconds: number;
}

const MEGABYTE = 1024 * 1024;
const LOOK_INTERVAL_MS = 10;

/**
 * Indexes chains on empty databases, copies the same rows into the same tables for comparison, and measures how long a
 * new block takes to be visible.
 */
export async function benchIndexing(bench: Bench, blocks: number | undefined): Promise<void> {
  const head = blocks ?? (bench.quick ? 12 : 2_000);
  const scenarios: Scenario[] = [
    { name: "without traces", shape: chainShape({ head }), traced: false },
    { name: "with traces", shape: chainShape({ head }), traced: true },
  ];
  for (const scenario of scenarios) await benchScenario(bench, scenario);
}

async function benchScenario(bench: Bench, scenario: Scenario): Promise<void> {
  const { name, shape, traced } = scenario;
  bench.say(`making a chain of ${shape.head} blocks`);
  const chain = await startChain(shape);
  const id = `indexing_${traced ? "traced" : "untraced"}`;
  const database = await bench.server.create(id);
  const copy = await bench.server.create(`${id}_copy`);
  try {
    bench.say(`indexing it ${name}`);
    const outcome = await index(bench, scenario, chain, database);
    const rows = await countRows(database.sql);
    const { totals } = await chain.report();
    checkRows(rows, totals, traced);
    bench.say("copying the same rows");
    const baseline = await copyRows(bench, database, copy, rows);
    const bytes = await databaseBytes(database.sql);
    bench.report({
      title: `Backfill of ${shape.head} blocks ${name}`,
      figures: figuresOf({ outcome, baseline, rows: sum(rows), totals, shape, bytes }),
    });
    if (traced) await measureHeadLatency(bench, chain, database);
  } finally {
    await Promise.all([database.drop(), copy.drop(), chain.stop()]);
  }
}

async function index(
  bench: Bench,
  { name, traced }: Scenario,
  chain: BenchChain,
  database: Database,
): Promise<Outcome> {
  const { head } = await chain.report();
  const before = await Promise.all([bench.server.cpuSeconds(), cpuSeconds(chain.pid)]);
  const profileFolder = bench.profile ? path.join(bench.folder, name) : undefined;
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    profileFolder,
    settings: {
      RPC_URL: chain.url,
      DATABASE_URL: database.url,
      DATA_DIR: path.join(bench.folder, "data"),
      TRACES: traced ? "auto" : "off",
      FINALITY_DEPTH: "0",
    },
  });
  try {
    await until(() => isServed(database.sql, head.number));
    const servedAt = performance.timeOrigin + performance.now();
    const outcome = {
      seconds: (servedAt - ((await chain.report()).askedAt ?? servedAt)) / 1_000,
      nodeCpuSeconds: await cpuSeconds(product.pid),
      postgresCpuSeconds: (await bench.server.cpuSeconds()) - before[0],
      chainCpuSeconds: (await cpuSeconds(chain.pid)) - before[1],
    };
    await until(() => isStateRead(database.sql));
    const stateSeconds = (performance.timeOrigin + performance.now() - servedAt) / 1_000;
    return { ...outcome, stateSeconds, peakMemory: await peakMemory(product.pid) };
  } finally {
    await product.stop();
    if (profileFolder)
      for (const section of await profileSections(profileFolder)) bench.report(section);
  }
}

async function copyRows(
  bench: Bench,
  { sql }: Database,
  copy: Database,
  rows: ReadonlyMap<string, number>,
): Promise<{ seconds: number; cpuSeconds: number }> {
  const dumps = await dumpTables(sql, rows);
  await sql`CHECKPOINT`;
  const cpuBefore = await bench.server.cpuSeconds();
  const startedAt = performance.now();
  await copyTables(copy.sql, dumps);
  return {
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: (await bench.server.cpuSeconds()) - cpuBefore,
  };
}

function figuresOf(result: {
  outcome: Outcome;
  baseline: { seconds: number; cpuSeconds: number };
  rows: number;
  totals: ChainTotals;
  shape: ChainShape;
  bytes: number;
}): Figure[] {
  const { outcome, baseline, rows, totals, shape, bytes } = result;
  const { seconds } = outcome;
  return [
    { name: "time", value: seconds, unit: "s" },
    { name: "blocks", value: shape.head / seconds, unit: "/s" },
    { name: "transactions", value: totals.transactions / seconds, unit: "/s" },
    { name: "logs", value: totals.logs / seconds, unit: "/s" },
    { name: "rows", value: rows / seconds, unit: "/s" },
    { name: "rows by COPY, one connection", value: rows / baseline.seconds, unit: "/s" },
    {
      name: "rows/s as a multiple of COPY",
      value: baseline.seconds / seconds,
      unit: "",
      goal: "at least 0.8, aim 1.5",
    },
    { name: "CPU of Periscope", value: outcome.nodeCpuSeconds, unit: "s" },
    { name: "CPU of PostgreSQL", value: outcome.postgresCpuSeconds, unit: "s" },
    { name: "CPU of PostgreSQL for COPY", value: baseline.cpuSeconds, unit: "s" },
    { name: "CPU of the scripted chain", value: outcome.chainCpuSeconds, unit: "s" },
    {
      name: "peak memory of Periscope",
      value: outcome.peakMemory / MEGABYTE,
      unit: "MB",
      goal: "below 512",
    },
    { name: "balances and supplies read after it in", value: outcome.stateSeconds, unit: "s" },
    { name: "database, a transaction", value: bytes / totals.transactions, unit: "bytes" },
  ];
}

/** Requires that the index equals the chain; otherwise the figures are void. */
export function checkRows(
  rows: ReadonlyMap<string, number>,
  totals: ChainTotals,
  traced: boolean,
): void {
  const expected: [string, number][] = [
    ["transactions", totals.transactions],
    ["logs", totals.logs],
    ["token_transfers", totals.tokenTransfers],
    ["internal_transactions", traced ? totals.internalTransactions : 0],
  ];
  for (const [table, count] of expected) {
    const found = rows.get(table) ?? 0;
    if (found !== count) throw new Error(`${found} rows in ${table}, the chain has ${count}`);
  }
}

/** Returns whether all blocks up to a number are served. */
export async function isServed(sql: Sql, head: number): Promise<boolean> {
  const [state] = await sql`SELECT FROM sync_state WHERE indexed AND head_number = ${head}`;
  return state !== undefined;
}

/** Returns whether no state is pending. */
export async function isStateRead(sql: Sql): Promise<boolean> {
  const [state] = await sql<[{ pending: boolean }]>`
    SELECT EXISTS (SELECT FROM addresses WHERE balance_block IS NULL)
      OR EXISTS (SELECT FROM token_balances WHERE block_number IS NULL)
      OR EXISTS (SELECT FROM token_id_balances WHERE block_number IS NULL)
      OR EXISTS (SELECT FROM tokens WHERE metadata_block IS NULL OR supply_block IS NULL) AS pending`;
  return !state.pending;
}

/** Waits until the condition holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(LOOK_INTERVAL_MS);
}

function sum(rows: ReadonlyMap<string, number>): number {
  return [...rows.values()].reduce((total, count) => total + count, 0);
}
