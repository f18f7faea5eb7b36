import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "viem";
import { createTestDatabase } from "../support/postgres.ts";
import { createRandom } from "../support/world/random.ts";
import { type Difference, judgeAtOnce } from "./at-once.ts";
import { type Call, startOddChain } from "./chain.ts";
import type { Kind } from "./kind.ts";
import { deployKinds } from "./kinds.ts";
import { judgeLists } from "./lists.ts";
import { createNamed } from "./named.ts";
import { startProduct } from "./product.ts";

export interface RunOptions {
  seed: number;
  acts: number;
  /** Without traces inner calls name nothing. */
  traces: boolean;
  hardfork: "shanghai" | "prague";
  /** Acts between two looks at all lists. */
  every?: number;
  /** How long lists may take, in ms, where something names the token, and where nothing does. */
  patience?: { named: number; hidden: number };
}

export interface Report {
  acts: number;
  blocks: number;
  reorganisations: number;
  restarts: number;
  looks: number;
  /** Number of differences of each class, and the first. */
  wrong: Record<string, { times: number; first: string }>;
}

const SNAPSHOTS_KEPT = 6;
const MOST_ACTS_OF_A_BLOCK = 4;
const LOOK_INTERVAL_MS = 500;

/** Lets random things happen to odd tokens, and compares what is served of them with what the contracts answer. */
export async function runOddTokens(options: RunOptions): Promise<Report> {
  const { seed, acts, traces, hardfork, every = 100 } = options;
  const { patience = { named: 30_000, hidden: 180_000 } } = options;
  const random = createRandom(seed);
  const chain = await startOddChain(random, hardfork);
  const database = await createTestDatabase();
  const { kinds, draws } = await deployKinds(chain);
  await chain.mine();
  const { rpc, holders, anvil } = chain;
  const readNamed = createNamed(rpc, traces);
  const settings = { TRACES: traces ? "auto" : "off" };
  const start = () => startProduct(anvil.url, database.url, settings);
  let product = await start();
  const report: Report = {
    acts: 0,
    blocks: 0,
    reorganisations: 0,
    restarts: 0,
    looks: 0,
    wrong: {},
  };
  const last: string[] = [];
  let snapshots: string[] = [];

  const note = (differences: readonly Difference[]): void => {
    for (const { kind, action, said, isLate } of differences) {
      const key = `${kind} ${action}${isLate ? " (late)" : ""}`;
      const first = `seed ${seed}, act ${report.acts}: ${said}; after ${last.slice(-4).join(", ")}`;
      report.wrong[key] ??= { times: 0, first };
      report.wrong[key].times++;
    }
  };

  function draw(kind: Kind): Call[] {
    const [name, act] = random.pick(Object.entries(kind.acts));
    const call = act();
    const way = random.integer(20);
    const isPlain = call.delegate !== undefined || call.data === "0x" || way > 5;
    last.push(`${kind.name}.${name}${isPlain ? "" : ` by router ${way}`}`);
    if (isPlain) return [call];
    const { to, data, value, from } = call;
    const routed = (name: string, ...args: unknown[]): Call => ({
      ...chain.call("Router", draws.router, name, ...args),
      ...(from && { from }),
    });
    if (way === 0) return [routed("undo", to, data)];
    if (way > 2) return [{ ...routed("exec", to, data), ...(value && { value }) }];
    const others = [0, 1, 2].map(() => {
      const other = random.pick(kinds);
      const [name, act] = random.pick(Object.entries(other.acts));
      last.push(`with ${other.name}.${name}`);
      return act();
    });
    const all = [call, ...others].filter((one) => one.delegate === undefined);
    return [
      routed(
        "execAll",
        all.map((one) => one.to),
        all.map((one) => one.data),
      ),
    ];
  }

  async function mine(): Promise<Kind[]> {
    snapshots.push(await rpc.request<string>("evm_snapshot"));
    snapshots = snapshots.slice(-SNAPSHOTS_KEPT);
    const touched = new Set<Kind>();
    const count = 1 + random.integer(MOST_ACTS_OF_A_BLOCK);
    for (let act = 0; act < count; act++) {
      const kind = random.pick(kinds);
      chain.enqueue(...draw(kind));
      touched.add(kind);
    }
    await chain.mine(random.chance(0.2) ? 1 + random.integer(300) : undefined);
    report.acts += count;
    report.blocks++;
    return [...touched];
  }

  async function reorganise(): Promise<void> {
    const index = random.integer(snapshots.length);
    const snapshot = snapshots[index];
    if (snapshot === undefined) return;
    snapshots = snapshots.slice(0, index);
    await rpc.request("evm_revert", snapshot);
    last.push("reorganisation");
    report.reorganisations++;
    for (let more = random.integer(3); more > 0; more--) await mine();
  }

  async function restart(): Promise<void> {
    await product.stop(random.pick(["SIGTERM", "SIGKILL"]));
    last.push("restart");
    for (let more = random.integer(4); more > 0; more--) await mine();
    if (random.chance(0.5)) await reorganise();
    await mine();
    product = await start();
    report.restarts++;
  }

  async function lookAtLists(): Promise<void> {
    const named = await readNamed();
    await product.reach(named.head.hash);
    const asked = { rpc, product, random, named };
    note(await judgeAtOnce(asked, kinds));
    const started = Date.now();
    const isHidden = new Map(kinds.map((kind) => [kind.name, kind.isHidden || !traces]));
    const given = new Set<string>();
    for (;;) {
      const differences = await judgeLists(asked, kinds, holders as Address[]);
      const open = differences.filter(({ kind, action }) => !given.has(`${kind} ${action}`));
      const waited = Date.now() - started;
      const late = open.filter(({ kind, action }) => {
        const known = report.wrong[`${kind} ${action} (late)`] !== undefined;
        return known || waited > (isHidden.get(kind) ? patience.hidden : patience.named);
      });
      // A class that is known to be wrong has the time that others take.
      if (open.length === late.length || waited > patience.hidden) {
        note(open);
        break;
      }
      const overdue = late.filter(
        ({ kind, action }) => report.wrong[`${kind} ${action} (late)`] === undefined,
      );
      note(overdue);
      for (const { kind, action } of overdue) given.add(`${kind} ${action}`);
      await sleep(LOOK_INTERVAL_MS);
    }
    report.looks++;
  }

  try {
    await lookAtLists();
    let next = every;
    while (report.acts < acts) {
      const touched = await mine();
      const isFirst = random.chance(0.1);
      const act = random.integer(100);
      if (act < 6) await reorganise();
      if (act === 99) await restart();
      const named = await readNamed();
      // Sometimes asked before the block is served: then the one before is named.
      if (!isFirst) await product.reach(named.head.hash);
      const others = [random.pick(kinds), random.pick(kinds)];
      const all = [...new Set([...touched, ...others])];
      note(await judgeAtOnce({ rpc, product, random, named }, all));
      if (report.acts >= next) {
        await lookAtLists();
        next += every;
        process.stdout.write(`${describe(options, report)}\n`);
      }
    }
    await lookAtLists();
    return report;
  } finally {
    await product.stop();
    await database.drop();
    await chain.stop();
  }
}

/** Says in a line how far a run is. */
export function describe(options: RunOptions, { wrong, ...counts }: Report): string {
  return `odd tokens ${JSON.stringify({ ...options, ...counts, wrong: Object.keys(wrong).length })}`;
}
