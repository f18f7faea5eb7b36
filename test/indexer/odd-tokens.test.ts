import { readFile } from "node:fs/promises";
import { stringToHex } from "viem";
import { beforeEach, describe, expect, it } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../src/core/evm/hex.ts";
import { listNftsOfOwner } from "../../src/store/state/nft-owners.ts";
import { getHolding, listHolders } from "../../src/store/state/token-balances/holdings.ts";
import { getToken } from "../../src/store/state/tokens/token.ts";
import { type IndexedNode, openIndexedNode } from "../support/indexed-node.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import {
  balanceOfData,
  TOTAL_SUPPLY_DATA,
  TRANSFER,
  TRANSFER_SINGLE,
  word,
} from "../support/scripted-node/ledger.ts";
import type { LogSpecification } from "../support/scripted-node/specification.ts";

const NAME: Hex = "0x06fdde03";
const [token, ann, bob, maker] = ["token", "ann", "bob", "maker"].map(scriptedAddress) as [
  Address,
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

function text(value: string): Hex {
  return hexConcat(word(32), word(value.length), stringToHex(value));
}

describe("an index of odd tokens", () => {
  let index: IndexedNode;

  beforeEach(async () => {
    index = await openIndexedNode();
    await index.start();
  });

  const amountOf = async (owner: Address) => (await getHolding(index.sql, token, owner))?.amount;

  describe("that are of one standard and move ids of another", () => {
    const minted = transfer(ZERO_ADDRESS, ann, 10);
    const movedId = transferOfId(ZERO_ADDRESS, bob, 7, 5);

    async function expectWhole(): Promise<void> {
      const { sql } = index;
      expect([await amountOf(ann), await amountOf(bob)]).toEqual(["10", "0"]);
      expect(await getToken(sql, token)).toMatchObject({ standard: 20, holderCount: 1 });
      expect(await listHolders(sql, token, [], { limit: 9, skip: 0 })).toEqual([
        { owner: ann, amount: "10" },
      ]);
    }

    it("has what the contract says of the whole", async () => {
      await index.follow(
        { transactions: [{ logs: [minted] }] },
        { transactions: [{ logs: [movedId] }] },
      );
      await expectWhole();
    });

    it("has it in the block that shows the token first", async () => {
      await index.follow({ transactions: [{ logs: [minted, movedId] }] });
      await expectWhole();
    });

    it("has it after a roll-back", async () => {
      await index.follow(
        { transactions: [{ logs: [minted, movedId] }] },
        { transactions: [{ logs: [transferOfId(bob, ann, 7, 2)] }] },
      );
      index.node.chain.reorg(1);
      await index.inStep();
      await expectWhole();
    });

    it("has no holding of an id whose only transfers left are those of another standard", async () => {
      const topics = [TRANSFER, ...[ZERO_ADDRESS, bob].map(wordOfAddress), word(7)];
      await index.follow(
        { transactions: [{ logs: [{ address: token, topics }] }] },
        { transactions: [{ logs: [transferOfId(ZERO_ADDRESS, bob, 7, 2)] }] },
      );
      index.node.chain.reorg(1);
      await index.inStep();
      expect(await index.sql`SELECT token_id, amount FROM token_id_balances`).toEqual([]);
    });

    it("has it in a database of an earlier version", async () => {
      await index.follow({ transactions: [{ logs: [minted, movedId] }] }, {});
      const { sql } = index;
      await sql`UPDATE token_balances SET amount = 5, transferred_amount = NULL WHERE owner = ${bob}`;
      await sql`UPDATE tokens SET irregular = false, holder_count = 2`;
      await sql.unsafe(await readFile("migrations/0123_holdings_to_read.sql", "utf8"));
      await index.follow({});
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

    /** Checks ann's served holding: `amount`, and that the contract is read each time. */
    async function expectAsked(amount: string): Promise<void> {
      const { sql } = index;
      expect(await getHolding(sql, token, ann)).toMatchObject({ amount });
      const listed = await listHolders(sql, token, [bob], { limit: 9, skip: 0 });
      expect(listed).toEqual(amount === "0" ? [] : [{ owner: ann, amount }]);
      const [counted] = await sql`
        SELECT holder_count = (SELECT count(*) FROM token_balances WHERE amount > 0) AS right FROM tokens`;
      expect(counted).toEqual({ right: true });
    }

    it.each(IMPOSSIBLE)("is never of %s", async (_, log, id) => {
      await index.follow({ transactions: [{ logs: [log, log] }], state: tell(null, id) });
      await expectAsked("0");
    });

    it("is what the transfers add up to as soon as they can be true", async () => {
      await index.follow(
        { transactions: [{ logs: [transfer(ann, bob, 5)] }], state: silent },
        { transactions: [{ logs: [transfer(ZERO_ADDRESS, ann, 8)] }], state: silent },
      );
      await expectAsked("3");
      index.node.chain.reorg(1);
      await index.inStep();
      await expectAsked("0");
    });

    it("is what the contract says as soon as it does", async () => {
      await index.follow(
        { transactions: [{ logs: [transfer(ann, bob, 5)] }], state: silent },
        { transactions: [{ logs: [transfer(bob, ann, 1)] }], state: tell(word(9)) },
      );
      await expectAsked("9");
    });

    it("is the largest number of a contract where the transfers say so", async () => {
      await index.follow({
        transactions: [{ logs: [transfer(ZERO_ADDRESS, ann, most)] }],
        state: silent,
      });
      expect(await getHolding(index.sql, token, ann)).toMatchObject({
        amount: String(most),
      });
    });

    it.each(["-5", String(most + 1n)])("is none in a database that has %s", async (amount) => {
      await index.follow({
        transactions: [{ logs: [transfer(ZERO_ADDRESS, ann, 1)] }],
        state: silent,
      });
      const { sql } = index;
      await sql`UPDATE token_balances SET amount = ${amount}`;
      await sql`UPDATE tokens SET holder_count = ${Number(amount !== "-5")}`;
      await sql.unsafe(await readFile("migrations/0123_holdings_to_read.sql", "utf8"));
      await index.follow({});
      await expectAsked("0");
    });
  });

  describe("whose contract is replaced", () => {
    const make = { from: maker, to: token, type: "CREATE2", output: "0x01" } as const;
    const destroy = { from: token, to: maker, type: "SELFDESTRUCT" } as const;
    const say = (held: [Hex | null, Hex | null], supply: Hex | null, name: Hex | null) => ({
      calls: [
        { to: token, data: balanceOfData(ann), returns: held[0] },
        { to: token, data: balanceOfData(bob), returns: held[1] },
        { to: token, data: TOTAL_SUPPLY_DATA, returns: supply },
        { to: token, data: NAME, returns: name },
      ],
    });
    const first = {
      transactions: [{ to: maker, calls: [make], logs: [transfer(ZERO_ADDRESS, ann, 10)] }],
      state: say([word(10), word(0)], word(10), text("First")),
    };
    const gone = {
      transactions: [{ to: token, calls: [destroy] }],
      state: say([null, null], null, null),
    };
    const again = {
      transactions: [{ to: maker, calls: [make] }],
      state: say([word(0), word(5)], word(5), text("Second")),
    };
    const minted = {
      transactions: [{ to: maker, calls: [make], logs: [transfer(ZERO_ADDRESS, bob, 5)] }],
      state: again.state,
    };
    const brief = {
      transactions: [
        { to: maker, calls: [make, destroy], logs: [transfer(ZERO_ADDRESS, ann, 10)] },
      ],
      state: gone.state,
    };

    const known = async () => ({
      ann: await amountOf(ann),
      bob: await amountOf(bob),
      ...(await getToken(index.sql, token)),
    });
    const OF_FIRST = { ann: "10", bob: "0", totalSupply: "10", holderCount: 1, name: "First" };
    const OF_SECOND = { ann: "0", bob: "5", totalSupply: "5", holderCount: 1, name: "Second" };

    it.each([
      ["in blocks", [first, gone, minted]],
      ["within one transaction", [brief, minted]],
    ])("has what the new one says: %s", async (_, blocks) => {
      await index.follow(...blocks);
      expect(await known()).toMatchObject(OF_SECOND);
      expect(await index.sql`SELECT irregular FROM tokens`).toEqual([{ irregular: true }]);
    });

    it("has of its ids only those that moved since", async () => {
      const move = (to: Address, id: number): LogSpecification => ({
        address: token,
        topics: [TRANSFER, ...[ZERO_ADDRESS, to].map(wordOfAddress), word(id)],
      });
      const making = (...logs: LogSpecification[]) => ({
        transactions: [{ to: maker, calls: [make], logs }],
      });
      const idsOfAnn = () => listNftsOfOwner(index.sql, token, ann, { limit: 9, skip: 0 });
      await index.follow(making(move(ann, 1), move(ann, 2)));
      expect(await idsOfAnn()).toEqual(["1", "2"]);
      await index.follow({
        transactions: [...gone.transactions, ...making(move(ann, 2)).transactions],
      });
      expect(await idsOfAnn()).toEqual(["2"]);
      index.node.chain.reorg(1);
      await index.inStep();
      expect(await idsOfAnn()).toEqual(["1", "2"]);
    });

    it("has it where nothing moved since", async () => {
      await index.follow(first, gone, again);
      expect(await known()).toMatchObject({ ...OF_SECOND, bob: "0", holderCount: 0 });
    });

    it("has it after a backfill", async () => {
      await index.stop();
      index.node.chain.mine(first, gone, minted, 3);
      await index.start({
        finalityDepth: 2,
      });
      await index.inStep();
      expect(await known()).toMatchObject(OF_SECOND);
    });

    it("has what the first one said when that is rolled back", async () => {
      await index.follow(first, gone, minted);
      index.node.chain.reorg(2);
      await index.inStep();
      expect(await known()).toMatchObject(OF_FIRST);
    });

    it("is asked again in a database of an earlier version", async () => {
      await index.follow(first, gone, again);
      const { sql } = index;
      await sql`UPDATE token_balances SET amount = 10, transferred_amount = NULL`;
      await sql`UPDATE tokens SET irregular = false, total_supply = 10, name = 'First'`;
      await sql.unsafe(await readFile("migrations/0123_holdings_to_read.sql", "utf8"));
      await index.follow({});
      expect(await sql`SELECT irregular FROM tokens`).toEqual([{ irregular: true }]);
      await index.indexer.until(async () => (await known()).name === "Second");
      expect(await known()).toMatchObject({ totalSupply: "5" });
    });
  });

  describe("behind a proxy that is upgraded", () => {
    const UPGRADED: Hex = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";
    const upgrade = {
      transactions: [
        { logs: [{ address: token, topics: [UPGRADED, wordOfAddress(maker)], data: "0x" as Hex }] },
      ],
    };
    const isIrregular = async () =>
      (await index.sql`SELECT FROM tokens WHERE irregular`).length > 0;

    beforeEach(() =>
      index.follow({
        transactions: [
          { logs: [transfer(ZERO_ADDRESS, ann, 10), transfer(ZERO_ADDRESS, bob, 20)] },
        ],
      }),
    );

    it("have what the new code says, at once and until that is rolled back", async () => {
      await index.follow({
        ...upgrade,
        state: {
          calls: [
            { to: token, data: balanceOfData(ann), returns: word(15) },
            { to: token, data: TOTAL_SUPPLY_DATA, returns: word(45) },
            { to: token, data: NAME, returns: text("Late") },
          ],
        },
      });
      expect([await amountOf(ann), await amountOf(bob)]).toEqual(["15", "20"]);
      expect(await getToken(index.sql, token)).toMatchObject({ name: "Late", totalSupply: "45" });
      expect(await isIrregular()).toBe(true);
      index.node.chain.reorg(1, {}, {});
      await index.inStep();
      expect(await amountOf(ann)).toBe("10");
    });

    it("stay regular where the new code says what the transfers do", async () => {
      await index.follow(upgrade);
      expect([await amountOf(ann), await amountOf(bob)]).toEqual(["10", "20"]);
      expect(await isIrregular()).toBe(false);
    });

    it("have it however many hold them, the largest holdings at once, and until it is rolled back", async () => {
      const many = Array.from({ length: 1_200 }, (_, index) => scriptedAddress(`holder ${index}`));
      await index.follow({
        transactions: [{ logs: many.map((owner) => transfer(ZERO_ADDRESS, owner, 5)) }],
      });
      const last = [...many].sort()[0] as Address;
      await index.follow({
        ...upgrade,
        state: {
          calls: [
            { to: token, data: balanceOfData(last), returns: word(6) },
            { to: token, data: balanceOfData(bob), returns: word(21) },
          ],
        },
      });
      expect([await amountOf(last), await amountOf(bob)]).toEqual(["6", "21"]);
      index.node.chain.reorg(1, {}, {});
      await index.inStep();
      expect([await amountOf(last), await amountOf(bob)]).toEqual(["5", "20"]);
    });

    it("have it where a beacon names the code", async () => {
      const beacon = scriptedAddress("beacon");
      const BEACON_UPGRADED: Hex =
        "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e";
      await index.follow({
        transactions: [
          { logs: [{ address: token, topics: [BEACON_UPGRADED, wordOfAddress(beacon)] }] },
        ],
      });
      await index.follow({
        transactions: [{ logs: [{ address: beacon, topics: [UPGRADED, wordOfAddress(maker)] }] }],
        state: {
          calls: [
            { to: token, data: balanceOfData(ann), returns: word(15) },
            { to: token, data: NAME, returns: text("Late") },
          ],
        },
      });
      expect([await amountOf(ann), await amountOf(bob)]).toEqual(["15", "20"]);
      expect(await getToken(index.sql, token)).toMatchObject({ name: "Late" });
    });

    it("have it of each id", async () => {
      const ids = scriptedAddress("token of ids");
      const logs = [transferOfId(ZERO_ADDRESS, ann, 7, 5), transferOfId(ZERO_ADDRESS, ann, 8, 1)];
      await index.follow({
        transactions: [{ logs: logs.map((log) => ({ ...log, address: ids })) }],
      });
      await index.follow({
        transactions: [{ logs: [{ address: ids, topics: [UPGRADED, wordOfAddress(maker)] }] }],
        state: { calls: [{ to: ids, data: balanceOfData(ann, 7n), returns: word(50) }] },
      });
      const held = async () => [
        (await getHolding(index.sql, ids, ann))?.amount,
        ...(await index.sql`SELECT amount FROM token_id_balances ORDER BY token_id`).map(
          ({ amount }) => amount,
        ),
      ];
      expect(await held()).toEqual(["51", "50", "1"]);
      index.node.chain.reorg(1, {}, {});
      await index.inStep();
      expect(await held()).toEqual(["6", "5", "1"]);
    });
  });
});
