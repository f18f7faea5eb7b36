import { spawn } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stateFamilies } from "../../src/indexer/state/families.ts";
import { tablesOf } from "../../src/indexer/state/family.ts";
import { writeChainIdentity } from "../../src/store/sync-state.ts";
import { deferIndexes } from "../../src/store/writer/deferred-indexes.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import type { ScriptedChain } from "../support/scripted-node/chain.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

/** Enough for an empty database to be loaded without its secondary indexes, and published in two parts. */
const BLOCKS = 2_600;
/** The node does not answer for later blocks until the first indexer was stopped. */
const HELD_BACK_FROM = 1_800;

describe("the first load of a long chain", () => {
  let node: ScriptedNode;
  let database: TestDatabase;

  const options = () => ({
    databaseUrl: database.url,
    rpcUrls: [node.url],
    finalityDepth: 10,
    requestTimeoutMs: 1_000,
  });

  beforeEach(async () => {
    node = await startScriptedNode();
    node.chain.mine(BLOCKS);
    node.chain.mine({ transactions: [{ valueWei: 1n }, { valueWei: 2n }] });
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await database.drop();
    await node.stop();
  });

  const indexNames = async () =>
    (
      await database.sql<{ name: string }[]>`
        SELECT indexname AS name FROM pg_indexes ORDER BY 1`
    ).map((row) => row.name);

  /** The tables of whose rows the planner has figures. */
  const knownToPlanner = async () =>
    (await database.sql`SELECT DISTINCT tablename AS name FROM pg_stats`).map(({ name }) => name);

  /** Starts an indexer, waits until it began a first load and cannot go on with it. */
  async function begin(): Promise<{ indexer: TestIndexer; heal: () => void; before: string[] }> {
    const before = await indexNames();
    const heal = node.fail({
      effect: { kind: "stall" },
      method: "eth_getBlockByNumber",
      when: ({ params }) => Number(params[0]) > HELD_BACK_FROM,
    });
    const indexer = startTestIndexer(options());
    await indexer.until(async () => (await indexNames()).length < before.length);
    return { indexer, heal, before };
  }

  async function expectWhole(indexes: readonly string[]): Promise<void> {
    const indexer = startTestIndexer(options());
    try {
      const oracle = await createOracleReader(node.url).read();
      await indexer.reach(oracle.head.hash);
      await indexer.until(() => indexer.status().phase === "following");
      expect(await compareDatabase(database.sql, oracle)).toEqual([]);
      expect(await indexNames()).toEqual(indexes);
      expect(await knownToPlanner()).toEqual(expect.arrayContaining(["addresses", "blocks"]));
    } finally {
      await indexer.stop();
    }
  }

  it("goes on where it was interrupted, and ends with the chain and all indexes", async () => {
    const { indexer, heal, before } = await begin();
    await indexer.until(() => (indexer.status().backfill?.recorded ?? 0) > 500);
    await indexer.stop();
    heal();
    expect(await database.sql`SELECT indexed FROM sync_state`).toEqual([{ indexed: false }]);
    await expectWhole(before);
  });

  it.each<[change: string, change: (chain: ScriptedChain) => unknown]>([
    ["reorganised", (chain) => chain.reorg(BLOCKS - 100, 1_000)],
    ["reset", (chain) => [chain.reset({ salt: "another" }), chain.mine(30)]],
  ])("ends with the chain that was %s before the indexes were built", async (_, change) => {
    const { sql } = database;
    const { indexer, heal, before } = await begin();
    await sql`INSERT INTO deferred_indexes VALUES (' fails', 'SELECT 1 / 0')`;
    heal();
    await indexer.until(() => indexer.status().reason === "an unexpected failure; the log has it");
    await indexer.stop();
    await sql`DELETE FROM deferred_indexes WHERE name = ' fails'`;
    expect(await sql`SELECT head_number > 2500 AS loaded, indexed FROM sync_state`).toEqual([
      { loaded: true, indexed: false },
    ]);
    change(node.chain);
    await expectWhole(before);
  });

  it("leaves no table unknown to the planner when it is short, nor does a start on what was restored", async () => {
    node.chain.reset({ salt: "short" });
    node.chain.mine(
      ...Array.from({ length: 40 }, () => ({ transactions: [{ valueWei: 1n }, { valueWei: 2n }] })),
    );
    const tables = ["addresses", "address_transactions", "blocks", "transactions"];
    for (let start = 0; start < 2; start++) {
      const indexer = startTestIndexer(options());
      await indexer.until(() => indexer.status().phase === "following");
      await indexer.stop();
      expect(await knownToPlanner()).toEqual(expect.arrayContaining(tables));
      await database.sql`
        DELETE FROM pg_statistic WHERE starelid = ANY (${tables}::text[]::regclass[])`;
    }
  });
});

describe("the indexes left out of a first load", () => {
  const PROCESS = new URL("../support/indexer-process.ts", import.meta.url).pathname;
  let node: ScriptedNode;
  let database: TestDatabase;

  beforeEach(async () => {
    node = await startScriptedNode();
    node.chain.mine(30);
    database = await createTestDatabase();
    await writeChainIdentity(database.sql, {
      chainId: node.chain.chainId,
      startBlock: 0,
      genesisHash: node.chain.at(0)?.block.hash ?? "0x",
      traced: true,
    });
    await database.sql.begin((sql) => deferIndexes(sql, tablesOf(stateFamilies)));
  });

  afterEach(async () => {
    await database.drop();
    await node.stop();
  });

  const options = () => ({ databaseUrl: database.url, rpcUrls: [node.url], finalityDepth: 0 });

  /** Has the indexer take a statement for one that builds an index. */
  const addBuild = (name: string, statement: string) =>
    database.sql`INSERT INTO deferred_indexes VALUES (${name}, ${statement})`;

  async function countBuilds(): Promise<number> {
    const [row] = await database.sql<{ count: number }[]>`
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
        AND (query LIKE '%deferred_indexes%' OR query LIKE '%pg_sleep%')`;
    return row?.count ?? 0;
  }

  it("are tried again, no more at once than before, when one cannot be built", async () => {
    const { sql } = database;
    await sql`CREATE SEQUENCE attempts`;
    await addBuild(" fails", "SELECT nextval('attempts') / 0");
    for (const name of [" slow 1", " slow 2"]) await addBuild(name, "SELECT pg_sleep(1)");
    const indexer = startTestIndexer(options());
    try {
      let most = 0;
      await indexer.until(async () => {
        most = Math.max(most, await countBuilds());
        const [attempts] = await sql<{ lastValue: number }[]>`SELECT last_value FROM attempts`;
        return (attempts?.lastValue ?? 0) >= 5;
      });
      expect(most).toBeLessThanOrEqual(2);
      expect(indexer.status().reason).toBe("an unexpected failure; the log has it");
      await sql`DELETE FROM deferred_indexes WHERE name LIKE ' %'`;
      await indexer.until(() => indexer.status().phase === "following");
      expect(await sql`SELECT indexed FROM sync_state`).toEqual([{ indexed: true }]);
    } finally {
      await indexer.stop();
    }
  });

  it("are not waited for when the indexer that was building one is gone", async () => {
    await addBuild(" endless", "SELECT pg_sleep(1000)");
    const killed = spawn(process.execPath, [PROCESS, JSON.stringify(options())]);
    try {
      await expect.poll(countBuilds).toBeGreaterThan(0);
    } finally {
      killed.kill("SIGKILL");
    }
    await database.sql`DELETE FROM deferred_indexes WHERE name = ' endless'`;
    const indexer = startTestIndexer(options());
    try {
      await indexer.until(() => indexer.status().phase === "following");
    } finally {
      await indexer.stop();
    }
  });
});
