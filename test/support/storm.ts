import type { Sql } from "../../src/db/client.ts";
import { createJsonRpc, type JsonRpc } from "./oracle/json-rpc.ts";
import type { Random } from "./world/random.ts";
import type { World } from "./world/world.ts";

export const STORM_KINDS = ["evm_revert", "anvil_rollback", "anvil_reset"] as const;
export type StormKind = (typeof STORM_KINDS)[number];

export interface StormOptions {
  url: string;
  world: World;
  /** The database of an indexer that follows the chain. */
  sql: Sql;
  random: Random;
  kinds: readonly StormKind[];
  /** Between two acts. */
  everyMs: number;
  acts: number;
}

export interface StormReport {
  acts: number;
  /** How long ago what was served was last the node's head, in ms, ascending: one for each look. */
  agesMs: number[];
  /** Checks without a served head: the chain was being indexed from its start. */
  nothing: number;
  /** Served blocks that the node never had. */
  foreign: string[];
  /** From the end of the last act until the node's head was served. */
  inStepAfterMs: number;
}

const LOOK_INTERVAL_MS = 4;
const PATIENCE_MS = 60_000;

interface Look {
  at: number;
  hash: string | null;
}

/** When blocks were the node's head, in ms of `performance.now()`. */
class Heads {
  readonly #spans = new Map<string, { from: number; to: number }[]>();
  #head: { hash: string; from: number } | undefined;

  /** From `at` on the head differs. */
  leave(at: number): void {
    if (this.#head) this.note(this.#head.hash, this.#head.from, at);
    this.#head = undefined;
  }

  note(hash: string, from: number, to: number): void {
    this.#spans.set(hash, [...(this.#spans.get(hash) ?? []), { from, to }]);
  }

  enter(hash: string, from: number): void {
    this.#head = { hash, from };
  }

  /** How long before `at` the block was last the head; undefined when it never was. */
  age({ at, hash }: Look): number | undefined {
    const spans = [...(this.#spans.get(String(hash)) ?? [])];
    if (this.#head?.hash === hash) {
      spans.push({ from: this.#head?.from ?? at, to: Number.POSITIVE_INFINITY });
    }
    const ages = spans.filter(({ from }) => from <= at).map(({ to }) => Math.max(0, at - to));
    return ages.length === 0 ? undefined : Math.min(...ages);
  }
}

/** Reorganises a chain again and again while it grows, and looks all the time at what is served of it. */
export async function raiseStorm(options: StormOptions): Promise<StormReport> {
  const { url, world, sql, random, kinds, everyMs, acts } = options;
  const rpc = createJsonRpc(url);
  const heads = new Heads();
  const looks: Look[] = [];
  let isOver = false;
  let known = new Set<string>();

  async function look(): Promise<Look> {
    const [state] = await sql<{ hash: string | null }[]>`SELECT head_hash AS hash FROM sync_state`;
    return { at: performance.now(), hash: state?.hash ?? null };
  }

  async function watch(): Promise<void> {
    while (!isOver) {
      looks.push(await look());
      await pause(LOOK_INTERVAL_MS);
    }
  }

  /** Does something to the chain, and notes which blocks were its head meanwhile. */
  async function during(act: () => Promise<unknown>): Promise<string> {
    const from = performance.now();
    heads.leave(from);
    await act();
    const hashes = await newestHashes(rpc);
    const to = performance.now();
    // Blocks that stood before were no heads meanwhile, but for the one that is now.
    for (const hash of hashes) if (!known.has(hash)) heads.note(hash, from, to);
    known = new Set(hashes);
    const hash = hashes.at(-1) as string;
    heads.enter(hash, from);
    return hash;
  }

  let hash = await during(() => world.step(random));
  const started = performance.now();
  const watching = watch();
  for (let act = 0; act < acts; act++) {
    const snapshot = await rpc.request<string>("evm_snapshot");
    hash = await during(() => grow(rpc, world, random));
    await pause(started + act * everyMs - performance.now());
    hash = await during(() => reorganise(rpc, random.pick([...kinds]), snapshot));
  }
  const end = performance.now();
  while (looks.at(-1)?.hash !== hash && performance.now() - end < PATIENCE_MS) {
    await pause(LOOK_INTERVAL_MS);
  }
  const inStepAfterMs = performance.now() - end;
  isOver = true;
  await watching;

  const served = looks.filter(({ hash }) => hash !== null);
  const ages = served.map((one) => ({ age: heads.age(one), hash: one.hash }));
  return {
    acts,
    agesMs: ages.flatMap(({ age }) => age ?? []).sort((a, b) => a - b),
    nothing: looks.length - served.length,
    foreign: [
      ...new Set(ages.flatMap(({ age, hash }) => (age === undefined ? [String(hash)] : []))),
    ],
    inStepAfterMs,
  };
}

const TRANSFERS = 3;

/** Mines a block of the world's activity; of plain transfers after a reset, whose world would take dozens of blocks. */
async function grow(rpc: JsonRpc, world: World, random: Random): Promise<void> {
  const code = await rpc.request<string>("eth_getCode", world.contracts["fungible"], "latest");
  if (code !== "0x") return world.step(random);
  for (let transfer = 0; transfer < TRANSFERS; transfer++) {
    const [from, to] = [random.pick([...world.accounts]), random.pick([...world.accounts])];
    await rpc.request("eth_sendTransaction", {
      from,
      to,
      value: `0x1${random.integer(1_000_000)}`,
    });
  }
}

async function reorganise(rpc: JsonRpc, kind: StormKind, snapshot: string): Promise<unknown> {
  if (kind === "evm_revert") return rpc.request(kind, snapshot);
  if (kind === "anvil_reset") return rpc.request(kind);
  const height = Number(await rpc.request<string>("eth_blockNumber"));
  return height === 0 ? undefined : rpc.request(kind, 1);
}

const NEWEST = 60;

/** Hashes of the newest blocks, the head last. */
async function newestHashes(rpc: JsonRpc): Promise<string[]> {
  const height = Number(await rpc.request<string>("eth_blockNumber"));
  const first = Math.max(0, height - NEWEST);
  const blocks = await rpc.requestAll<{ hash: string }>(
    Array.from({ length: height - first + 1 }, (_, index) => ({
      method: "eth_getBlockByNumber",
      params: [`0x${(first + index).toString(16)}`, false],
    })),
  );
  return blocks.map(({ hash }) => hash);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
