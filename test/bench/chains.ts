import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { sleep } from "../../src/core/async.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";
import type { Bench } from "./bench.ts";
import { type HttpClient, openHttpClient } from "./measure/http-client.ts";
import { type Product, startProduct } from "./measure/product.ts";
import { median, quantile } from "./measure/statistics.ts";
import { cpuSeconds, memory } from "./measure/usage.ts";

const POLL_INTERVAL_MS = 500;
const CONNECTIONS = 6;
const HEAD = "module=block&action=eth_block_number";
const LOOK_INTERVAL_MS = 5;
const FIRST_ID = 1001;

/** Measures what a further chain costs that is idle, and what a broken chain does to another one. */
export async function benchChains(bench: Bench): Promise<void> {
  await benchIdle(bench);
  await benchIsolation(bench);
}

async function benchIdle(bench: Bench): Promise<void> {
  const further = bench.quick ? 2 : 20;
  const alone = await measureIdle(bench, 1);
  const together = await measureIdle(bench, 1 + further);
  const each = (value: (usage: Usage) => number) => (value(together) - value(alone)) / further;
  bench.report({
    title: `${further} idle chains beside one, each`,
    figures: [
      {
        name: "memory of the process",
        value: each(({ bytes }) => bytes) / 1e6,
        unit: "MB",
        goal: "below 40",
      },
      { name: "processor", value: 100 * each(({ cores }) => cores), unit: "%", goal: "below 0.5" },
      {
        name: "processor, the database's",
        value: 100 * each(({ database }) => database),
        unit: "%",
      },
    ],
  });
}

interface Usage {
  bytes: number;
  /** Of the process, and of the database. */
  cores: number;
  database: number;
}

async function measureIdle(bench: Bench, count: number): Promise<Usage> {
  bench.say(`measuring ${count} idle chains`);
  const ids = Array.from({ length: count }, (_, index) => FIRST_ID + index);
  const nodes = await Promise.all(ids.map(startNode));
  const { product, stop } = await start(
    bench,
    nodes.map(({ url, chain }) => ({ id: chain.chainId, url })),
  );
  try {
    await sleep(bench.quick ? 3_000 : 30_000);
    const seconds = bench.quick ? 3 : 60;
    const before = [await cpuSeconds(product.pid), await bench.server.cpuSeconds()] as const;
    await sleep(seconds * 1_000);
    return {
      bytes: await memory(product.pid),
      cores: ((await cpuSeconds(product.pid)) - before[0]) / seconds,
      database: ((await bench.server.cpuSeconds()) - before[1]) / seconds,
    };
  } finally {
    await stop();
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

/** A node's fault that its neighbours must not notice. */
const BREAKAGES = ["nothing", "gone", "hanging", "flooding", "resetting"];

async function benchIsolation(bench: Bench): Promise<void> {
  const rows: { name: string; values: number[] }[] = [];
  for (const breakage of BREAKAGES) {
    bench.say(`measuring a chain whose neighbour's node is ${breakage}`);
    const [healthy, broken] = [await startNode(FIRST_ID), await startBrokenNode(FIRST_ID + 1)];
    const chains = [
      { id: FIRST_ID, url: healthy.url },
      { id: FIRST_ID + 1, url: broken.url },
    ];
    const { product, stop } = await start(bench, chains);
    const client = await openHttpClient(product.url);
    try {
      broken.process.send(breakage);
      const heads: number[] = [];
      const answers: number[] = [];
      const before = [await cpuSeconds(product.pid), performance.now()] as const;
      for (let block = 0; block < (bench.quick ? 3 : 100); block++) {
        heads.push(await followed(client, healthy, answers));
      }
      const seconds = (performance.now() - before[1]) / 1_000;
      const cores = ((await cpuSeconds(product.pid)) - before[0]) / seconds;
      rows.push({
        name: breakage,
        values: [
          median(heads),
          quantile(heads, 0.99),
          median(answers),
          quantile(answers, 0.99),
          100 * cores,
        ],
      });
    } finally {
      client.close();
      await stop();
      broken.process.disconnect();
      await healthy.stop();
    }
  }
  const columns = ["head, median", "head, p99", "answer, median", "answer, p99"];
  bench.report({
    title: "A chain whose neighbour's node is …",
    columns: [
      ...columns.map((name) => ({ name, unit: "ms" })),
      { name: "processor, both chains'", unit: "%" },
    ],
    rows,
  });
}

/** Mines a block and asks for the head until it is served; how long that took, and each answer. */
async function followed(
  client: HttpClient,
  node: ScriptedNode,
  answers: number[],
): Promise<number> {
  await sleep(Math.random() * POLL_INTERVAL_MS);
  node.chain.mine(1);
  const minedAt = performance.now();
  for (;;) {
    const askedAt = performance.now();
    const body = await client.get(`/${FIRST_ID}/api?${HEAD}`);
    answers.push(performance.now() - askedAt);
    const { result } = JSON.parse(body.toString()) as { result: string };
    if (Number(result) >= node.chain.height) return performance.now() - minedAt;
    await sleep(LOOK_INTERVAL_MS);
  }
}

async function startNode(chainId: number): Promise<ScriptedNode> {
  const node = await startScriptedNode({ chain: new ScriptedChain({ chainId }) });
  node.chain.mine(10);
  return node;
}

/** Its threads get what is left over (SCHED_IDLE): a flood is made on the cores that are measured, and a node has its own. */
async function startBrokenNode(chainId: number): Promise<{ process: ChildProcess; url: string }> {
  const child = fork(new URL("./broken-node.ts", import.meta.url), [String(chainId)], {
    execPath: "chrt",
    execArgv: ["--idle", "0", process.execPath],
  });
  const [url] = await once(child, "message");
  return { process: child, url: String(url) };
}

/** Starts Periscope on a database of its own; resolves when every chain is ready. */
async function start(
  bench: Bench,
  nodes: readonly { id: number; url: string }[],
): Promise<{ product: Product; stop(): Promise<void> }> {
  const database = await bench.server.create(`chains_${nodes.length}`);
  const file = path.join(bench.folder, "chains.json");
  const chains = nodes.map(({ id, url }) => ({
    CHAIN_ID: id,
    RPC_URL: url,
    DATABASE_SCHEMA: `chain_${id}`,
    ALLOW_RESET: 1,
  }));
  await writeFile(file, JSON.stringify({ chains }));
  const product = await startProduct({
    logFile: path.join(bench.folder, "periscope.log"),
    settings: {
      CHAINS_FILE: file,
      DATABASE_URL: database.url,
      DATA_DIR: path.join(bench.folder, "data"),
      DATABASE_CONNECTIONS: String(CONNECTIONS),
      POLL_INTERVAL_MS: String(POLL_INTERVAL_MS),
      RPC_TIMEOUT_MS: "2000",
    },
  });
  for (const { id } of nodes) {
    while ((await fetch(`${product.url}/${id}/health/ready`)).status !== 200) {
      await sleep(100);
    }
  }
  return {
    product,
    stop: async () => {
      await product.stop();
      await database.drop();
    },
  };
}
