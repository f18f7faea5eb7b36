import { stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import {
  type Address,
  lowerAddress,
  wordOfAddress,
  ZERO_ADDRESS,
} from "../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../src/core/evm/hex.ts";
import { quantity } from "../../src/core/evm/quantity.ts";
import { getProxy, saveProxy } from "../../src/store/contracts/proxies.ts";
import { listDelegates } from "../../src/store/lists/delegations.ts";
import { getHolding } from "../../src/store/state/token-balances/holdings.ts";
import { getToken } from "../../src/store/state/tokens/token.ts";
import { type IndexedNode, openIndexedNode } from "../support/indexed-node.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import {
  balanceOfData,
  TOTAL_SUPPLY_DATA,
  TRANSFER,
  word,
} from "../support/scripted-node/ledger.ts";
import type {
  BlockSpecification,
  StateSpecification,
  TransactionSpecification,
} from "../support/scripted-node/specification.ts";

const NAME: Hex = "0x06fdde03";
const account = privateKeyToAccount(`0x${"7".repeat(64)}`);
const token = lowerAddress(account.address);
const [ann, first, second] = ["ann", "first", "second"].map(scriptedAddress) as [
  Address,
  Address,
  Address,
];

/** Returns a transaction of another account with authorizations of the account. */
async function authorize(
  ...signed: readonly { to: Address; nonce: number; chainId?: number }[]
): Promise<TransactionSpecification> {
  const authorizationList = await Promise.all(
    signed.map(async ({ to, nonce, chainId = 0 }) => {
      const one = await account.signAuthorization({ address: to, chainId, nonce });
      const numbers = { chainId: quantity(chainId), nonce: quantity(nonce) };
      return { address: to, r: one.r, s: one.s, yParity: quantity(one.yParity ?? 0), ...numbers };
    }),
  );
  return { type: 4, fields: { authorizationList } };
}

const text = (value: string): Hex => hexConcat(word(32), word(value.length), stringToHex(value));

/** Answers of the token's present code. */
const answers = (name: string, amount: number): StateSpecification => ({
  calls: [
    { to: token, data: NAME, returns: text(name) },
    { to: token, data: balanceOfData(ann), returns: word(amount) },
    { to: token, data: TOTAL_SUPPLY_DATA, returns: word(amount) },
  ],
});

const mint: BlockSpecification = {
  transactions: [
    {
      logs: [
        {
          address: token,
          topics: [TRANSFER, wordOfAddress(ZERO_ADDRESS), wordOfAddress(ann)],
          data: word(10),
        },
      ],
    },
  ],
};

describe("an index of accounts that delegate their code", () => {
  let index: IndexedNode;

  beforeEach(async () => {
    index = await openIndexedNode();
    await index.start();
  });

  const known = async () => ({
    name: (await getToken(index.sql, token))?.name,
    supply: (await getToken(index.sql, token))?.totalSupply,
    ann: (await getHolding(index.sql, token, ann))?.amount,
  });
  const delegate = async (blockNumber = 99) =>
    (await listDelegates(index.sql, [ann, token], { blockNumber, transactionIndex: 0 })).map(
      ({ callee }) => callee,
    );

  it("reads the token at an account that only an authorization names", async () => {
    await index.follow({ ...mint, state: answers("First", 10) });
    expect(await known()).toEqual({ name: "First", supply: "10", ann: "10" });
    await index.follow({
      transactions: [await authorize({ to: second, nonce: 0 })],
      state: answers("Second", 15),
    });
    expect(await known()).toEqual({ name: "Second", supply: "15", ann: "15" });
    // Roll-backs give back what was.
    index.node.chain.reorg(1, {}, {});
    await index.inStep();
    expect(await known()).toEqual({ name: "First", supply: "10", ann: "10" });
    expect(await delegate()).toEqual([]);
  });

  it("outdates the target of a proxy at such an account, also where the delegation ends", async () => {
    await index.follow({ transactions: [await authorize({ to: first, nonce: 0 })] });
    const { hash, number } = index.node.chain.head.block;
    await saveProxy(index.sql, {
      ...{ address: token, kind: "eip7702", implementations: [first], conflicts: [], beacon: null },
      ...{ blockNumber: Number(number), blockHash: hash },
    });
    await index.follow({});
    expect(await getProxy(index.sql, token)).toMatchObject({ implementations: [first] });
    await index.follow({ transactions: [await authorize({ to: ZERO_ADDRESS, nonce: 1 })] });
    expect(await getProxy(index.sql, token)).toBeUndefined();
  });

  it("has the delegate at each transaction, by the authorizations that took effect", async () => {
    await index.follow(
      { transactions: [await authorize({ to: first, nonce: 4 }, { to: second, nonce: 5 })] },
      // A used nonce, another chain, and one that a transaction of the account uses.
      {
        transactions: [
          await authorize({ to: first, nonce: 4 }, { to: first, nonce: 6, chainId: 77 }),
          await authorize({ to: first, nonce: 6 }),
        ],
      },
      { transactions: [{ from: token, fields: { nonce: "0x6" } }] },
      { transactions: [await authorize({ to: ZERO_ADDRESS, nonce: 7 })] },
    );
    expect(await Promise.all([0, 1, 2, 3, 4].map(delegate))).toEqual([
      ...[[], [second], [second], [second]],
      [ZERO_ADDRESS],
    ]);
  });

  it("has no delegate of a nonce that the account has not reached", async () => {
    await index.follow({ transactions: [await authorize({ to: first, nonce: 0 })] });
    // Signed for later, and sent too early: void (EIP-7702, step 6).
    await index.follow({ transactions: [await authorize({ to: second, nonce: 9 })] });
    expect(await delegate(1)).toEqual([first]);
    expect(await delegate(2)).toEqual([]);
    await index.follow(
      { transactions: [{ from: token, fields: { nonce: "0x8" } }] },
      // The same authorization once more, now in time.
      { transactions: [await authorize({ to: second, nonce: 9 })] },
    );
    expect(await Promise.all([2, 3, 4].map(delegate))).toEqual([[first], [first], [second]]);
  });

  it("has those of blocks that were loaded together, and of an earlier version", async () => {
    await index.stop();
    // More than are recovered at once.
    const many = Array.from({ length: 150 }, (_, nonce) => ({ to: first, nonce }));
    const some = [many.slice(0, 100), many.slice(100)].map((part) => authorize(...part));
    index.node.chain.mine({ transactions: await Promise.all(some) });
    for (let blocks = 80; blocks > 0; blocks--) index.node.chain.mine({});
    await index.start({ finalityDepth: 1 });
    await index.inStep();
    const stored = () => index.sql`SELECT nonce FROM delegations ORDER BY nonce`;
    const all = many.map(({ nonce }) => ({ nonce: String(nonce) }));
    await index.indexer.until(async () => (await stored()).length === all.length);
    await index.stop();
    await index.sql`DELETE FROM delegations`;
    await index.sql`UPDATE sync_state SET delegations_to = -1`;
    await index.start();
    await index.indexer.until(async () => (await stored()).length === all.length);
    expect(await stored()).toEqual(all);
  });
});
