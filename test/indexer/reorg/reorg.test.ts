import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../support/anvil.ts";
import { compareDatabase } from "../../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { createJsonRpc } from "../../support/oracle/json-rpc.ts";
import { createOracleReader } from "../../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { createRandom, type Random } from "../../support/world/random.ts";
import { deployWorld, type World } from "../../support/world/world.ts";

/** REORG_SEEDS seeds from REORG_SEED on; the suites storm and scale set more. */
const FIRST_SEED = Number(process.env["REORG_SEED"] ?? 1);
const SEEDS = Number(process.env["REORG_SEEDS"] ?? 2);
const ACTIONS = 4;

describe("an indexer while a development chain is reorganised at random", () => {
  let anvil: Anvil;
  let world: World;
  let database: TestDatabase;
  let indexer: TestIndexer;

  beforeAll(async () => {
    anvil = await startAnvil();
    world = await deployWorld(anvil.url);
    database = await createTestDatabase();
    indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
  });

  afterAll(async () => {
    await indexer?.stop();
    await database?.drop();
    await anvil?.stop();
  });

  const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index);
  it.each(seeds)("holds the final chain after the actions of seed %i", async (seed) => {
    try {
      await follow(seed);
    } catch (error) {
      // The chain is new when the node had locked up.
      if (!(await anvil.revive())) throw error;
      world = await deployWorld(anvil.url);
      await follow(seed);
    }
  });

  async function follow(seed: number): Promise<void> {
    const random = createRandom(seed);
    const done: string[] = [];
    for (let action = 0; action < ACTIONS; action++) done.push(await act(random));
    // Missing parts of the first block after a reset are deployed, so that the next seed has them.
    await world.step(random);
    const oracle = await createOracleReader(anvil.url).read();
    await indexer.reach(oracle.head.hash);
    expect(await compareDatabase(database.sql, oracle), done.join(", ")).toEqual([]);
  }

  /** Does one thing to the chain; some of them while the indexer is still busy with the one before. */
  async function act(random: Random): Promise<string> {
    const rpc = createJsonRpc(anvil.url);
    const head = Number(await rpc.request<string>("eth_blockNumber"));
    const depth = 1 + random.integer(random.chance(0.1) ? head : Math.min(head, 8));
    const drawn = random.pick(["mine", "mine", "reorg", "reorg", "revert", "rollback", "reset"]);
    const kind = head === 0 ? "mine" : drawn;
    switch (kind) {
      case "reorg":
        await rpc.request("anvil_reorg", depth, []);
        break;
      case "rollback":
        await rpc.request("anvil_rollback", depth);
        break;
      case "revert": {
        const snapshot = await rpc.request<string>("evm_snapshot");
        await mine(random);
        await rpc.request("evm_revert", snapshot);
        break;
      }
      case "reset":
        if (random.chance(0.3)) await rpc.request("anvil_reset");
        break;
      default:
        await mine(random);
    }
    if (random.chance(0.5)) await mine(random);
    return `${kind} ${depth}`;
  }

  async function mine(random: Random): Promise<void> {
    for (let count = 1 + random.integer(4); count > 0; count--) await world.step(random);
  }
});
