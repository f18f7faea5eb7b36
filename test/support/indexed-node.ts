import { onTestFinished } from "vitest";
import type { Sql } from "../../src/db/client.ts";
import { startTestIndexer, type TestIndexer, type TestIndexerOptions } from "./indexer.ts";
import { createTestDatabase } from "./postgres.ts";
import type { BlockSpecification } from "./scripted-node/specification.ts";
import { type ScriptedNode, type ScriptedNodeOptions, startScriptedNode } from "./scripted-node.ts";

/** A scripted node, and an index of its chain. */
export interface IndexedNode {
  readonly node: ScriptedNode;
  readonly sql: Sql;
  /** The indexer that was started last. */
  readonly indexer: TestIndexer;
  /** Starts an indexer on the node and the database, in place of the one before. */
  start(options?: Partial<TestIndexerOptions>): Promise<void>;
  /** Ends the indexer. */
  stop(): Promise<void>;
  /** Waits until the index has the node's head, and nothing is left to be read. */
  inStep(): Promise<void>;
  /** Mines the blocks one by one, each read at the head. */
  follow(...blocks: readonly BlockSpecification[]): Promise<void>;
}

/** Opens a node and an empty database; they end with the test. */
export async function openIndexedNode(options?: ScriptedNodeOptions): Promise<IndexedNode> {
  const node = await startScriptedNode(options);
  const database = await createTestDatabase();
  let indexer: TestIndexer | undefined;

  function started(): TestIndexer {
    if (!indexer) throw new Error("no indexer was started");
    return indexer;
  }

  async function stop(): Promise<void> {
    await indexer?.stop();
    indexer = undefined;
  }

  const inStep = () => started().reach(node.chain.head.block.hash);
  onTestFinished(async () => {
    await stop();
    await database.drop();
    await node.stop();
  });
  return {
    node,
    sql: database.sql,
    get indexer() {
      return started();
    },
    async start(options = {}) {
      await stop();
      indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url], ...options });
    },
    stop,
    inStep,
    async follow(...blocks) {
      for (const block of blocks) {
        node.chain.mine(block);
        await inStep();
      }
    },
  };
}
