import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

/** Enough for an empty database to be loaded without its secondary indexes. */
const BLOCKS = 5_200;
/** The node does not answer for later blocks until the first indexer was stopped. */
const HELD_BACK_FROM = 4_000;

describe("the first load of a long chain", () => {
  let node: ScriptedNode;
  let database: TestDatabase;

  beforeAll(async () => {
    node = await startScriptedNode();
    node.chain.mine(BLOCKS);
    node.chain.mine({ transactions: [{ valueWei: 1n }, { valueWei: 2n }] });
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await database?.drop();
    await node?.stop();
  });

  it("goes on where it was interrupted, and ends with the chain and all indexes", async () => {
    const { sql } = database;
    const indexesOf = async () =>
      (await sql<{ name: string }[]>`SELECT indexname AS name FROM pg_indexes ORDER BY 1`).map(
        (row) => row.name,
      );
    const before = await indexesOf();
    const options = { databaseUrl: database.url, rpcUrls: [node.url], finalityDepth: 10 };
    const heal = node.fail({
      effect: { kind: "stall" },
      method: "eth_getBlockByNumber",
      when: ({ params }) => Number(params[0]) > HELD_BACK_FROM,
    });
    const first = startTestIndexer(options);
    await first.until(async () => (await indexesOf()).length < before.length);
    await first.until(() => (first.status().backfill?.recorded ?? 0) > 1_000);
    await first.stop();
    heal();
    const [state] = await sql<{ indexed: boolean }[]>`SELECT indexed FROM sync_state`;
    expect(state).toEqual({ indexed: false });

    const second = startTestIndexer(options);
    try {
      const oracle = await createOracleReader(node.url).read();
      await second.reach(oracle.head.hash);
      expect(await compareDatabase(sql, oracle)).toEqual([]);
      expect(await indexesOf()).toEqual(before);
    } finally {
      await second.stop();
    }
  });
});
