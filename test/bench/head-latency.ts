import path from "node:path";
import { sleep } from "../../src/core/async.ts";
import type { Bench } from "./bench.ts";
import type { BenchChain } from "./chain/start.ts";
import type { Database } from "./measure/database.ts";
import { type HttpClient, openHttpClient } from "./measure/http-client.ts";
import { startProduct } from "./measure/product.ts";
import type { Figure } from "./measure/report.ts";
import { median, quantile } from "./measure/statistics.ts";

const POLL_INTERVAL_MS = 50;
/** Between a block that is visible and the next one: a random time up to this. */
const PAUSE_MS = 200;
const LOOK_INTERVAL_MS = 1;

/** Measures the time from a block at the node to the block in the API, on an indexed chain. */
export async function measureHeadLatency(
  bench: Bench,
  chain: BenchChain,
  database: Database,
): Promise<void> {
  const figures: Figure[] = [];
  const ways = [
    { name: `polling every ${POLL_INTERVAL_MS} ms`, settings: {} },
    { name: "WebSocket", settings: { RPC_WS_URL: chain.webSocketUrl } },
  ];
  for (const { name, settings } of ways) {
    bench.say(`measuring the head's latency, ${name}`);
    const product = await startProduct({
      logFile: path.join(bench.folder, "periscope.log"),
      settings: {
        RPC_URL: chain.url,
        DATABASE_URL: database.url,
        DATA_DIR: path.join(bench.folder, "data"),
        POLL_INTERVAL_MS: String(POLL_INTERVAL_MS),
        ...settings,
      },
    });
    const client = await openHttpClient(product.url);
    try {
      const latencies = await measureBlocks(chain, client, bench.quick ? 5 : 100);
      figures.push(
        { name: `${name}, median`, value: median(latencies), unit: "ms", goal: "below 250" },
        { name: `${name}, 99th percentile`, value: quantile(latencies, 0.99), unit: "ms" },
      );
    } finally {
      client.close();
      await product.stop();
    }
  }
  bench.report({ title: "From a block at the node to the block in the API", figures });
}

/** How long each of so many blocks takes from the node to the API, in ms. */
export async function measureBlocks(
  chain: BenchChain,
  client: HttpClient,
  blocks: number,
): Promise<number[]> {
  const latencies: number[] = [];
  await untilServed(client, (await chain.mine()).head.number);
  for (let block = 0; block < blocks; block++) {
    await sleep(Math.random() * PAUSE_MS);
    const { head, announcedAt } = await chain.mine();
    await untilServed(client, head.number);
    latencies.push(performance.timeOrigin + performance.now() - announcedAt);
  }
  return latencies;
}

async function untilServed(client: HttpClient, number: number): Promise<void> {
  while (true) {
    const body = await client.get("/api?module=block&action=eth_block_number");
    const { result } = JSON.parse(body.toString()) as { result: string };
    if (Number(result) >= number) return;
    await sleep(LOOK_INTERVAL_MS);
  }
}
