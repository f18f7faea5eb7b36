import { expect, it, onTestFinished } from "vitest";
import { compareDatabase } from "../../support/compare/compare.ts";
import { startTestIndexer } from "../../support/indexer.ts";
import { createOracleReader } from "../../support/oracle/oracle.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startScriptedNode } from "../../support/scripted-node.ts";

it("a roll-back does not wait for a node that does not tell the state behind it", async () => {
  const node = await startScriptedNode();
  onTestFinished(() => node.stop());
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  node.chain.mine({ transactions: [{}] }, { transactions: [{}] }, { transactions: [{}] });
  const indexer = startTestIndexer({
    databaseUrl: database.url,
    rpcUrls: [node.url],
    // Longer than the test waits.
    requestTimeoutMs: 300_000,
  });
  onTestFinished(() => indexer.stop());
  await indexer.reach(node.chain.head.block.hash);
  node.fail({ method: "eth_getBalance", effect: { kind: "stall" } });
  node.chain.reorg(2, { transactions: [{}], salt: "other" });
  const { sql } = database;
  await indexer.until(async () => {
    const [state] = await sql<{ generation: number }[]>`SELECT generation FROM sync_state`;
    return state?.generation === 1;
  });
  const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`
    SELECT count(*) FROM addresses WHERE balance_block IS NULL`;
  expect(count).toBeGreaterThan(0);
  node.heal();
  const oracle = await createOracleReader(node.url).read();
  await indexer.reach(oracle.head.hash);
  expect(await compareDatabase(sql, oracle)).toEqual([]);
});
