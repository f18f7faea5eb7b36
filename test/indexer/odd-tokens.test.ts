import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../src/core/address.ts";
import { hexConcat } from "../../src/core/hex.ts";
import { getHolding, listHolders } from "../../src/store/token-balances/holdings.ts";
import { getToken } from "../../src/store/tokens/token.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { TRANSFER, TRANSFER_SINGLE, word } from "../support/scripted-node/ledger.ts";
import type {
  BlockSpecification,
  LogSpecification,
} from "../support/scripted-node/specification.ts";
import { type ScriptedNode, startScriptedNode } from "../support/scripted-node.ts";

const [token, ann, bob] = ["token", "ann", "bob"].map(scriptedAddress) as [
  Address,
  Address,
  Address,
];

function transfer(from: Address, to: Address, amount: number | bigint): LogSpecification {
  const topics = [TRANSFER, wordOfAddress(from), wordOfAddress(to)];
  return { address: token, topics, data: word(amount) };
}

function transferOfId(from: Address, to: Address, id: number, amount: number): LogSpecification {
  const topics = [TRANSFER_SINGLE, ...[ann, from, to].map(wordOfAddress)];
  return { address: token, topics, data: hexConcat(word(id), word(amount)) };
}

describe("an index of odd tokens", () => {
  let node: ScriptedNode;
  let database: TestDatabase;
  let indexer: TestIndexer;

  beforeEach(async () => {
    node = await startScriptedNode();
    database = await createTestDatabase();
    indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [node.url] });
  });

  afterEach(async () => {
    await indexer.stop();
    await database.drop();
    await node.stop();
  });

  /** Mines the blocks one by one, each read at the head. */
  async function follow(...blocks: BlockSpecification[]): Promise<void> {
    for (const block of blocks) {
      node.chain.mine(block);
      await indexer.reach(node.chain.head.block.hash);
    }
  }

  const amountOf = async (owner: Address) => (await getHolding(database.sql, token, owner))?.amount;

  describe("that are of one standard and move ids of another", () => {
    const minted = transfer(ZERO_ADDRESS, ann, 10);
    const movedId = transferOfId(ZERO_ADDRESS, bob, 7, 5);

    async function expectWhole(): Promise<void> {
      const { sql } = database;
      expect([await amountOf(ann), await amountOf(bob)]).toEqual(["10", "0"]);
      expect(await getToken(sql, token)).toMatchObject({ standard: 20, holderCount: 1 });
      expect(await listHolders(sql, token, [], { limit: 9, skip: 0 })).toEqual([
        { owner: ann, amount: "10" },
      ]);
    }

    it("has what the contract says of the whole", async () => {
      await follow({ transactions: [{ logs: [minted] }] }, { transactions: [{ logs: [movedId] }] });
      await expectWhole();
    });

    it("has it in the block that shows the token first", async () => {
      await follow({ transactions: [{ logs: [minted, movedId] }] });
      await expectWhole();
    });

    it("has it after a roll-back", async () => {
      await follow(
        { transactions: [{ logs: [minted, movedId] }] },
        { transactions: [{ logs: [transferOfId(bob, ann, 7, 2)] }] },
      );
      node.chain.reorg(1);
      await indexer.reach(node.chain.head.block.hash);
      await expectWhole();
    });

    it("has it in a database of an earlier version", async () => {
      await follow({ transactions: [{ logs: [minted, movedId] }] }, {});
      const { sql } = database;
      await sql`UPDATE token_balances SET amount = 5, transferred_amount = NULL WHERE owner = ${bob}`;
      await sql`UPDATE tokens SET irregular = false, holder_count = 2`;
      await sql.unsafe(await readFile("migrations/0123_holdings_to_read.sql", "utf8"));
      await follow({});
      await expectWhole();
    });
  });
});
