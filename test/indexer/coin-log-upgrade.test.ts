import { afterEach, beforeEach, expect, it } from "vitest";
import { migrate } from "../../src/db/migrate.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { blockWithCoinLogs, coinLogChain } from "../support/release/coin-logs.ts";
import { restoreRelease } from "../support/release/data.ts";
import { SYSTEM } from "../support/scripted-node/ledger.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

// A database in which an earlier version took the logs of coin transfers (EIP-7708) for those of a token.

let node: ScriptedNode;
let database: TestDatabase;

beforeEach(async () => {
  node = await startScriptedNode({ chain: coinLogChain() });
  database = await createTestDatabase();
  const { sql } = database;
  await sql`DROP SCHEMA public CASCADE`;
  await sql`CREATE SCHEMA public`;
  await restoreRelease(sql, "coin-logs");
  expect((await countRows()).tokens).toBe(1);
  await migrate(sql);
});

afterEach(async () => {
  await database?.drop();
  await node?.stop();
});

/** Returns the number of rows that take the system address for a token, by table. */
async function countRows() {
  const { sql } = database;
  const count = async (table: string, column: string): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM ${sql(table)} WHERE ${sql(column)} = ${SYSTEM}`;
    return row?.count ?? 0;
  };
  return {
    tokens: await count("tokens", "address"),
    tokenBalances: await count("token_balances", "token"),
    tokenTransfers: await count("token_transfers", "token"),
    addressTokenTransfers: await count("address_token_transfers", "token"),
  };
}

const NOTHING = { tokens: 0, tokenBalances: 0, tokenTransfers: 0, addressTokenTransfers: 0 };

function startIndexer(): TestIndexer {
  return startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url], finalityDepth: 0 });
}

async function expectMended(): Promise<void> {
  node.chain.mine(blockWithCoinLogs(41));
  const indexer = startIndexer();
  try {
    const oracle = await createOracleReader(node.url).read();
    await indexer.reach(oracle.head.hash);
    await expect.poll(countRows).toEqual(NOTHING);
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  } finally {
    await indexer.stop();
  }
}

it("loses the token, and nothing else", expectMended);

it("loses the token when the work was interrupted again and again", async () => {
  for (const milliseconds of [1, 50, 150, 300]) {
    const indexer = startIndexer();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    await indexer.stop();
  }
  await expectMended();
});
