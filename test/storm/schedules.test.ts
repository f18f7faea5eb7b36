import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { sleep } from "../../src/core/async.ts";
import type { Sql } from "../../src/db/client.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { ScriptedChain } from "../support/scripted-node/chain.ts";
import {
  type Effect,
  emptyList,
  type Fault,
  flakiness,
  html,
  lastMissing,
  lie,
  logsOutOfOrder,
  nothing,
  rateLimited,
  rpcError,
} from "../support/scripted-node/faults.ts";
import { answer } from "../support/scripted-node/methods.ts";
import { startScriptedNode } from "../support/scripted-node.ts";
import { createRandom, type Random } from "../support/world/random.ts";
import { listWrongAnswers } from "./answers.ts";
import { randomBlock, randomGenesis } from "./random-blocks.ts";

// A schedule is drawn from its number: the contents of blocks, the number of nodes, their features
// and faults, and when the chain is reorganised, reset, the database's sessions are ended together
// or one by one, an indexer is killed, and another one takes over.

const FIRST = Number(process.env["SCHEDULE_FIRST"] ?? 1);
const COUNT = Number(process.env["SCHEDULES"] ?? 100);
const ACTS = 10;
const REQUESTS = 60;
const LOOK_INTERVAL_MS = 15;
const PROCESS = new URL("../support/indexer-process.ts", import.meta.url).pathname;
/** Much longer than a poll of the tests' indexers. */
const SETTLED_MS = 500;

/** None of them can be taken for a contract's own answer, as "out of gas" is: that is asked again after a minute only. */
const FAULTS: readonly Fault[] = [
  { method: "eth_getBlockReceipts", effect: emptyList() },
  { method: "eth_getBlockReceipts", effect: lastMissing() },
  { method: "eth_getBlockReceipts", effect: nothing() },
  { method: "eth_getBlockReceipts", effect: logsOutOfOrder() },
  { method: "eth_getTransactionReceipt", effect: nothing() },
  { method: "debug_traceBlockByHash", effect: lastMissing() },
  { method: "debug_traceBlockByHash", effect: nothing() },
  { method: "debug_traceBlockByHash", effect: reversed() },
  { method: "debug_traceBlockByNumber", effect: reversed() },
  { method: "debug_traceBlockByHash", effect: rpcError(-32000, "tracing failed") },
  { method: "eth_getBlockByNumber", effect: nothing() },
  { method: "eth_call", effect: rpcError(-32603, "Internal error") },
  { method: "eth_call", effect: { kind: "stall" } },
  { method: "eth_getBalance", effect: rpcError(-32000, "missing trie node") },
  { method: "eth_getBalance", effect: { kind: "stall" } },
  { effect: html() },
  { effect: rateLimited() },
  { effect: { kind: "drop" } },
  { effect: { kind: "late", ms: 300 } },
  { effect: { kind: "truncate" } },
  ...Object.values(flakiness(300)).flat(),
];

/** The entries of a list from the last to the first. */
function reversed(): Effect {
  return lie((result) => (Array.isArray(result) ? result.toReversed() : result));
}

const STATE_METHODS = ["eth_getBalance", "eth_call", "eth_getCode"];
const NO_STATE = { effect: rpcError(-32000, "missing trie node"), times: 8 };

/** Gaps of the scripted chain, and facts that an index without the genesis lacks. */
const UNDETERMINED = /code_hash|gas should be|gas_used should be|revert_data/;
const UNKNOWN_LATER = /irregular|transferred_amount/;

/** Invariants of the published head at each moment. */
const INVARIANTS = {
  "the head is a block": "head_hash = (SELECT hash FROM blocks WHERE number = head_number)",
  "no block is missing":
    "head_number - start_block + 1 = (SELECT count(*) FROM blocks WHERE number <= head_number)",
  "each block follows its parent": `NOT EXISTS (SELECT FROM blocks b JOIN blocks p ON p.number = b.number - 1
    WHERE b.number <= head_number AND b.parent_hash <> p.hash)`,
  "each block has its transactions": `NOT EXISTS (SELECT FROM blocks b WHERE b.number <= head_number
    AND transaction_count <> (SELECT count(*) FROM transactions WHERE block_number = b.number))`,
  "each block counts once in its day":
    "head_number - start_block + 1 = (SELECT sum(block_count) FROM daily_statistics)",
  "the supply is the sum of the balances": `(SELECT coalesce(sum(total), 0) FROM coin_supply)
    = (SELECT coalesce(sum(balance), 0) FROM addresses)`,
  "each token counts its holders": `NOT EXISTS (SELECT FROM tokens k WHERE holder_count <> (
    SELECT count(*) FROM token_balances WHERE token = k.address AND amount > 0
      AND owner <> '\\x0000000000000000000000000000000000000000'))`,
};

it.each(Array.from({ length: COUNT }, (_, index) => FIRST + index))(
  "schedule %i ends with the node's chain, and breaks no invariant on the way",
  async (seed) => {
    const random = createRandom(seed);
    const startBlock = random.chance(0.25) ? 1 + random.integer(3) : 0;
    const world = await startWorld(random);
    const { nodes, chain, sql } = world;
    const done: string[] = [];
    const note = (act: string) => done.push(act);
    const indexers: TestIndexer[] = [];
    onTestFinished(async () => {
      await Promise.all(indexers.map((one) => one.stop()));
      await world.end();
    });
    const options = () => ({
      databaseUrl: world.databaseUrl,
      rpcUrls: nodes.map(({ url }) => url),
      startBlock,
      finalityDepth: random.pick([0, 2, 10, 1_000]),
      requestTimeoutMs: 1_000,
    });
    const start = () => {
      const drawn = options();
      indexers.push(startTestIndexer(drawn));
      note(`start (finality ${drawn.finalityDepth})`);
    };
    const blocks = (count: number) => Array.from({ length: count }, () => randomBlock(random));
    const mine = (count: number) => {
      chain.mine(...blocks(count));
      note(`mine ${count}`);
    };
    const acts = {
      mine: () => mine(1 + random.integer(4)),
      mineMany: () => mine(20 + random.integer(20)),
      reorganise: () => {
        const depth = depthOf(random, chain.height, random.chance(0.2) ? 0 : startBlock);
        if (depth === 0) return;
        const count = 1 + random.integer(depth + 3);
        // Without state of the ancestor, reads above it must be marked as pending.
        const isBlind = random.chance(0.4);
        for (const node of isBlind ? nodes : []) {
          for (const method of STATE_METHODS) node.fail({ method, ...NO_STATE });
        }
        chain.reorg(depth, ...blocks(count));
        note(`reorganise ${depth} by ${count}${isBlind ? " without state" : ""}`);
      },
      revert: () => {
        const depth = depthOf(random, chain.height - 1, startBlock);
        if (depth > 0) chain.revert(depth);
        note(`revert ${depth}`);
      },
      reset: () => {
        chain.reset(randomGenesis(random));
        note("reset");
        mine(startBlock + 1 + random.integer(4));
      },
      fail: () => {
        const fault = random.pick(FAULTS);
        random.pick(nodes).fail({ ...fault, times: 1 + random.integer(6) });
        note(`fail ${fault.method ?? "everything"} ${JSON.stringify(fault.effect)}`);
      },
      /** A balancer has another node behind it, which is on a fork. */
      flip: () => {
        const depth = depthOf(random, chain.height, startBlock);
        if (depth === 0) return;
        const fork = chain.fork();
        fork.reorg(depth, ...blocks(1 + random.integer(depth + 2)));
        const node = random.pick(nodes);
        const effect = lie((_, call) => answer(fork, node.behaviour, call));
        // State read by number cannot be told apart from the fork's.
        const when = ({ method }: { method: string }) =>
          node.behaviour.stateByHash || !STATE_METHODS.includes(method);
        node.fail({ effect, when, share: 0.5, times: 5 + random.integer(60) });
        note(`flip ${depth}`);
      },
      lag: () => {
        const node = random.pick(nodes);
        node.behaviour.behind = random.integer(5);
        note(`lag ${node.behaviour.behind}`);
      },
      endSessions: async () => {
        await world.endSessions();
        note("end sessions");
      },
      /** One after the other, during any work of the indexer. */
      endOneByOne: async () => {
        const count = 5 + random.integer(15);
        for (let ended = 0; ended < count; ended++) {
          await world.endSessions(1);
          if (random.chance(0.2)) mine(1);
          await sleep(random.integer(15));
        }
        note(`end ${count} sessions`);
      },
      /** A process takes over from the indexers, and is killed while the chain changes. */
      kill: async () => {
        await Promise.all(indexers.splice(0).map((one) => one.stop()));
        const child = spawn(process.execPath, [PROCESS, JSON.stringify(options())]);
        const ended = once(child, "exit");
        onTestFinished(() => void child.kill("SIGKILL"));
        await sleep(500 + random.integer(500));
        for (const act of ["mine", "reorganise", "mine"] as const) {
          acts[act]();
          await sleep(random.integer(60));
        }
        const isAlive = child.kill("SIGKILL");
        await ended;
        note(`kill${isAlive ? "" : " what had ended by itself"}`);
        start();
      },
      restart: async () => {
        await indexers.shift()?.stop();
        note("stop");
        if (indexers.length === 0) start();
      },
      standBy: () => {
        if (indexers.length < 2) start();
      },
    };
    const draws: (keyof typeof acts)[] = [
      ...(["mine", "mine", "mine", "reorganise", "reorganise", "revert", "reset"] as const),
      ...([
        "flip",
        "lag",
        "fail",
        "fail",
        "endSessions",
        "endOneByOne",
        "kill",
        "restart",
        "standBy",
        "mineMany",
      ] as const),
    ];

    mine(startBlock + 1 + random.integer(random.chance(0.3) ? 40 : 5));
    start();
    const watch = watchInvariants(sql, () => done.at(-1));
    onTestFinished(() => void watch.end());
    for (let act = 0; act < ACTS; act++) {
      await acts[random.pick(draws)]();
      await sleep(random.pick([0, 0, 20, 60, 150, 400]));
    }
    world.heal();
    if (chain.height < startBlock) mine(startBlock - chain.height + 1);
    const oracle = await createOracleReader(nodes[0]?.url as string).read({
      firstBlock: startBlock,
    });
    const isLeftOut = (one: string) =>
      UNDETERMINED.test(one) || (startBlock > 0 && UNKNOWN_LATER.test(one));
    const reach = async () => {
      try {
        await indexers[0]?.reach(oracle.head.hash);
      } catch (error) {
        throw new Error(done.join(", "), { cause: error });
      }
    };
    await reach();
    let differences = await compareDatabase(sql, oracle, isLeftOut);
    // Data fetched before the last blocks were removed may have arrived after it passed the head.
    if (differences.length > 0) {
      await sleep(SETTLED_MS);
      await reach();
      differences = await compareDatabase(sql, oracle, isLeftOut);
    }
    expect(differences, done.join(", ")).toEqual([]);
    expect(await watch.end(), done.join(", ")).toEqual([]);
    const nodeUrl = nodes[0]?.url as string;
    const asked = { sql, nodeUrl, oracle, random, requests: REQUESTS };
    expect(await listWrongAnswers(asked), done.join(", ")).toEqual([]);
  },
);

/** A chain, one or two nodes of it that cannot everything, and a database. */
async function startWorld(random: Random) {
  const chain = new ScriptedChain({
    genesis: random.chance(0.3)
      ? { ...randomGenesis(random), ...(random.chance(0.5) && { transactions: [] }) }
      : {},
  });
  const everything = Number.POSITIVE_INFINITY;
  const byHash = "debug_traceBlockByHash";
  const first = await startScriptedNode({
    chain,
    overrides: random.chance(0.5),
    stateByHash: random.chance(0.7),
    statesKept: random.pick([everything, everything, 3, 8]),
    without: random.pick([
      [],
      [],
      [byHash],
      [byHash, "debug_traceBlockByNumber"],
      ["eth_getBlockReceipts"],
    ]),
  });
  const isBeside = random.chance(0.4);
  const beside = isBeside ? [await startScriptedNode({ chain, behind: random.integer(3) })] : [];
  const nodes = [first, ...beside];
  const { sql, url: databaseUrl, drop } = await createTestDatabase();
  return {
    chain,
    nodes,
    sql,
    databaseUrl,
    /** Ends the sessions of all indexers, or so many of them. */
    async endSessions(count?: number) {
      await sql`
        SELECT pg_terminate_backend(pid) FROM (
          SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          ORDER BY random() LIMIT ${count ?? null}
        ) AS session`.catch(() => []);
    },
    heal() {
      for (const node of nodes) {
        node.heal();
        node.behaviour.behind = 0;
        node.behaviour.statesKept = everything;
      }
    },
    async end() {
      await drop();
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

/** Number of blocks to take back, 0 for none: mostly few of those above the lowest. */
function depthOf(random: Random, height: number, lowest: number): number {
  const most = Math.max(0, height - lowest);
  return most === 0 ? 0 : 1 + random.integer(random.chance(0.2) ? most : Math.min(most, 5));
}

/** Looks at the invariants again and again; gives at its end which were broken, and after what. */
function watchInvariants(sql: Sql, lastAct: () => string | undefined) {
  const broken: string[] = [];
  const conditions = Object.values(INVARIANTS).map((condition) => `(${condition})`);
  const query = `SELECT ARRAY[${conditions.join(", ")}] AS holds FROM sync_state WHERE head_number IS NOT NULL`;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      // Its own session may be ended, too.
      const [row] = await sql.unsafe<{ holds: boolean[] }[]>(query).catch(() => []);
      const names = Object.keys(INVARIANTS).filter((_, index) => row && !row.holds[index]);
      for (const name of names) broken.push(`not "${name}" after ${lastAct()}`);
      await sleep(LOOK_INTERVAL_MS);
    }
  })();
  return {
    async end(): Promise<string[]> {
      isOver = true;
      await watching;
      return broken;
    },
  };
}
