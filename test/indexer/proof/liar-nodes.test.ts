import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RawBlock } from "../../../src/chain/types.ts";
import { compareDatabase } from "../../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../../support/indexer.ts";
import { createOracleReader } from "../../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import { type Effect, lie } from "../../support/scripted-node/faults.ts";
import { signer } from "../../support/scripted-node/provable.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

const alice = signer("alice");

/** Says of every transaction that it moved a little more, and nothing that speaks against it. */
function moreValue(): Effect {
  return lie((answer) => {
    const block = answer as RawBlock | null;
    return (
      block && {
        ...block,
        transactions: block.transactions.map((one) => ({ ...one, value: "0xffffff" })),
      }
    );
  });
}

describe("a node that lies without contradicting itself", () => {
  let liar: ScriptedNode;
  let honest: ScriptedNode;
  let database: TestDatabase;
  let indexer: TestIndexer | undefined;

  beforeEach(async () => {
    const chain = new ScriptedChain({ chainId: 1, provable: true });
    liar = await startScriptedNode({ chain });
    honest = await startScriptedNode({ chain });
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await indexer?.stop();
    indexer = undefined;
    await database.drop();
    await Promise.all([liar.stop(), honest.stop()]);
  });

  function start(nodes: readonly ScriptedNode[]): TestIndexer {
    indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: nodes.map(({ url }) => url),
      finalityDepth: 5,
      proofs: true,
    });
    return indexer;
  }

  function mine(count: number): void {
    for (let one = 0; one < count; one++) {
      const to = scriptedAddress(`to ${one % 3}`);
      honest.chain.mine({ transactions: [{ from: alice, to, valueWei: 5n }] });
    }
  }

  const headHash = () => honest.chain.head.block.hash;

  it("is not believed after a restart either, and its lies are never served", async () => {
    mine(3);
    await start([liar]).reach(headHash());
    await indexer?.stop();
    const { number: before } = honest.chain.head.block;
    mine(2);
    liar.fail({ method: "eth_getBlockByNumber", effect: moreValue() });
    const started = start([liar]);
    await started.until(() => /is proven wrong/.test(started.status().reason ?? ""));
    expect(await database.sql`SELECT head_number FROM sync_state`).toEqual([
      { headNumber: Number(before) },
    ]);
    liar.heal();
    await started.reach(headHash());
    const oracle = await createOracleReader(honest.url).read();
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });

  it("is replaced by an honest one", async () => {
    mine(3);
    await start([liar, honest]).reach(headHash());
    liar.fail({ method: "eth_getBlockByNumber", effect: moreValue() });
    mine(3);
    await indexer?.reach(headHash());
    const oracle = await createOracleReader(honest.url).read();
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
    expect(indexer?.status().proofs.header.off).toBeNull();
  });

  it("is not believed while there is an honest one, even before the first block was proven", async () => {
    liar.fail({ method: "eth_getBlockByNumber", effect: moreValue() });
    mine(3);
    await start([liar, honest]).reach(headHash());
    const oracle = await createOracleReader(honest.url).read();
    expect(await compareDatabase(database.sql, oracle)).toEqual([]);
  });
});
