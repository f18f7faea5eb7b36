import { expect, test } from "vitest";
import { startTestIndexer } from "../support/indexer.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { rpcError } from "../support/scripted-node/faults.ts";
import { startScriptedNode } from "../support/scripted-node.ts";

// A node of EIP-4444 keeps the headers of old blocks, and neither their transactions nor their receipts.

const OLDEST = 20;

test.each([
  ["names its oldest block", OLDEST, `START_BLOCK=${OLDEST}`],
  ["names none", null, "a later START_BLOCK"],
])(
  "history that has expired names the remedy, and is not asked for ever: a node that %s",
  async (_kind, oldestBlock, remedy) => {
    const node = await startScriptedNode({ oldestBlock });
    const database = await createTestDatabase();
    node.chain.mine(40);
    node.fail({
      method: "eth_getBlockByNumber",
      when: ({ params: [block, isWhole] }) =>
        isWhole === true &&
        String(block).startsWith("0x") &&
        Number(block) > 0 &&
        Number(block) < OLDEST,
      effect: rpcError(4444, "pruned history unavailable"),
    });
    const start = (startBlock: number) =>
      startTestIndexer({
        databaseUrl: database.url,
        rpcUrls: [node.url],
        startBlock,
        finalityDepth: 1,
      });
    let indexer = start(0);
    try {
      await indexer.until(() => indexer.status().phase === "waiting");
      const { reason, backfill } = indexer.status();
      expect(reason).toContain(`begin an empty database with ${remedy}`);
      expect(backfill).toBeNull();
      const asked = node.requests.length;
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(node.requests.length).toBe(asked);
      await indexer.stop();
      await database.sql`DELETE FROM sync_state`;
      await database.sql`TRUNCATE blocks, transactions, daily_statistics, addresses`;
      indexer = start(OLDEST);
      await indexer.reach(node.chain.head.block.hash);
    } finally {
      await indexer.stop();
      await database.drop();
      await node.stop();
    }
  },
);
