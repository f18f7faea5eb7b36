import { sleep } from "../../../src/core/async.ts";
import type { Bench } from "../bench.ts";
import type { Database } from "../measure/database.ts";
import type { HttpClient } from "../measure/http-client.ts";
import type { Product } from "../measure/product.ts";
import type { Questions } from "./requests.ts";

/** How much is asked. */
export interface Sizes {
  /** In the database before the first question. */
  blocks: number;
  /** That come while questions are answered. */
  newBlocks: number;
  rounds: number;
  /** Questions of a round. */
  perRound: number;
  saturationMs: number;
}

/** Input of the API's measurements. */
export interface Stage {
  bench: Bench;
  sizes: Sizes;
  database: Database;
  product: Product;
  /** A connection to the product. */
  client: HttpClient;
  questions: Questions;
}

const LOOK_INTERVAL_MS = 20;

/** Waits until the API reports this head or a later one. */
export async function untilServed(client: HttpClient, number: number): Promise<void> {
  while ((await servedNumber(client)) < number) await sleep(LOOK_INTERVAL_MS);
}

/** The head in the API; -1 while there is none. */
export async function servedNumber(client: HttpClient): Promise<number> {
  const body = await client.get("/api?module=block&action=eth_block_number");
  const { result } = JSON.parse(body.toString()) as { result: string | null };
  return result === null ? -1 : Number(result);
}
