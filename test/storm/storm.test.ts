import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { raiseStorm, STORM_KINDS, type StormKind, type StormReport } from "../support/storm.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";

// README.md promises that a reorganisation is followed within a poll: the indexer of the tests looks every 20 ms.

const EVERY_MS = 300;
/** Two minutes of each storm; STORM_ACTS shortens them. */
const ACTS = Number(process.env["STORM_ACTS"] ?? 400);
const OLDEST_MS = 500;
const PROCESS = new URL("../support/indexer-process.ts", import.meta.url).pathname;

describe("an indexer in a storm of reorganisations", () => {
  let anvil: Anvil;
  let world: World;
  let database: TestDatabase;
  let indexer: ChildProcess;

  beforeEach(async () => {
    anvil = await startAnvil();
    world = await deployWorld(anvil.url);
    database = await createTestDatabase();
    // In a process of its own, as the product has it in a thread: nothing here keeps it waiting.
    const options = { databaseUrl: database.url, rpcUrls: [anvil.url] };
    indexer = spawn(process.execPath, [PROCESS, JSON.stringify(options)], { stdio: "inherit" });
    await reach((await createOracleReader(anvil.url).read()).head.hash);
  });

  afterEach(async () => {
    const ended = once(indexer, "exit");
    indexer.kill("SIGKILL");
    await ended;
    await database?.drop();
    await anvil?.stop();
  });

  /** Waits until the head has this hash and no state is left to be read. */
  async function reach(hash: string): Promise<void> {
    const isReached = async () => {
      const [state] = await database.sql<{ reached: boolean }[]>`
        SELECT head_hash = ${hash as `0x${string}`}
          AND NOT EXISTS (SELECT FROM addresses WHERE balance_block IS NULL)
          AND NOT EXISTS (SELECT FROM token_balances WHERE block_number IS NULL)
          AND NOT EXISTS (SELECT FROM token_id_balances WHERE block_number IS NULL)
          AND NOT EXISTS (SELECT FROM tokens WHERE metadata_block IS NULL OR supply_block IS NULL)
          AS reached FROM sync_state`;
      return state?.reached;
    };
    await expect.poll(isReached, { timeout: 90_000, interval: 50 }).toBe(true);
  }

  const storms: [name: string, kinds: readonly StormKind[]][] = [
    ...STORM_KINDS.map((kind): [string, StormKind[]] => [kind, [kind]]),
    ["all of them", STORM_KINDS],
  ];

  it.each(storms)("of %s serves no head older than half a second", async (name, kinds) => {
    const { sql } = database;
    const random = createRandom(1);
    const report = await raiseStorm({
      url: anvil.url,
      world,
      sql,
      random,
      kinds,
      everyMs: EVERY_MS,
      acts: ACTS,
    });
    process.stdout.write(`${describeReport(name, report)}\n`);
    expect(report.foreign).toEqual([]);
    expect(quantile(report, 0.99)).toBeLessThan(OLDEST_MS);
    expect(report.inStepAfterMs).toBeLessThan(OLDEST_MS);
    const oracle = await createOracleReader(anvil.url).read();
    await reach(oracle.head.hash);
    expect(await compareDatabase(sql, oracle)).toEqual([]);
  });
});

function quantile({ agesMs }: StormReport, share: number): number {
  return agesMs[Math.min(agesMs.length - 1, Math.floor(agesMs.length * share))] ?? 0;
}

function describeReport(name: string, report: StormReport): string {
  const [median, high, highest] = [0.5, 0.99, 1].map((share) => quantile(report, share).toFixed(0));
  return (
    `storm of ${name}: ${report.acts} acts, ${report.agesMs.length} looks, ${report.nothing} at nothing; ` +
    `age of the served head: median ${median} ms, 99th percentile ${high} ms, highest ${highest} ms; ` +
    `in step ${report.inStepAfterMs.toFixed(0)} ms after the end`
  );
}
