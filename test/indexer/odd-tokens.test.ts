import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../src/core/address.ts";
import { type Hex, hexConcat } from "../../src/core/hex.ts";
import { getHolding, listHolders } from "../../src/store/token-balances/holdings.ts";
import { getToken } from "../../src/store/tokens/token.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import { balanceOfData, TRANSFER, TRANSFER_SINGLE, word } from "../support/scripted-node/ledger.ts";
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

  describe("that do not tell their holdings", () => {
    const most = 2n ** 256n - 1n;
    const tell = (returns: Hex | null, id?: bigint) => ({
      calls: [{ to: token, data: balanceOfData(ann, id), returns }],
    });
    const silent = tell(null);
    const IMPOSSIBLE: [string, LogSpecification, bigint?][] = [
      ["less than nothing", transfer(ann, bob, 5)],
      ["more than a number of a contract", transfer(ZERO_ADDRESS, ann, most)],
      ["less than nothing of an id", transferOfId(ann, bob, 7, 5), 7n],
    ];

    /** What is served of ann's holding: `amount`, and that the contract is asked each time. */
    async function expectAsked(amount: string): Promise<void> {
      const { sql } = database;
      expect(await getHolding(sql, token, ann)).toMatchObject({ amount, unsure: true });
      const listed = await listHolders(sql, token, [bob], { limit: 9, skip: 0 });
      expect(listed).toEqual(amount === "0" ? [] : [{ owner: ann, amount }]);
      const [counted] = await sql`
        SELECT holder_count = (SELECT count(*) FROM token_balances WHERE amount > 0) AS right FROM tokens`;
      expect(counted).toEqual({ right: true });
    }

    it.each(IMPOSSIBLE)("is never of %s", async (_, log, id) => {
      await follow({ transactions: [{ logs: [log, log] }], state: tell(null, id) });
      await expectAsked("0");
    });

    it("is what the transfers add up to as soon as they can be true", async () => {
      await follow(
        { transactions: [{ logs: [transfer(ann, bob, 5)] }], state: silent },
        { transactions: [{ logs: [transfer(ZERO_ADDRESS, ann, 8)] }], state: silent },
      );
      await expectAsked("3");
      node.chain.reorg(1);
      await indexer.reach(node.chain.head.block.hash);
      await expectAsked("0");
    });

    it("is what the contract says as soon as it does", async () => {
      await follow(
        { transactions: [{ logs: [transfer(ann, bob, 5)] }], state: silent },
        { transactions: [{ logs: [transfer(bob, ann, 1)] }], state: tell(word(9)) },
      );
      await expectAsked("9");
    });

    it("is the largest number of a contract where the transfers say so", async () => {
      await follow({
        transactions: [{ logs: [transfer(ZERO_ADDRESS, ann, most)] }],
        state: silent,
      });
      expect(await getHolding(database.sql, token, ann)).toMatchObject({
        amount: String(most),
        unsure: false,
      });
    });

    it.each(["-5", String(most + 1n)])("is none in a database that has %s", async (amount) => {
      await follow({ transactions: [{ logs: [transfer(ZERO_ADDRESS, ann, 1)] }], state: silent });
      const { sql } = database;
      await sql`UPDATE token_balances SET amount = ${amount}`;
      await sql`UPDATE tokens SET holder_count = ${Number(amount !== "-5")}`;
      await sql.unsafe(await readFile("migrations/0123_holdings_to_read.sql", "utf8"));
      await follow({});
      await expectAsked("0");
    });
  });
});
