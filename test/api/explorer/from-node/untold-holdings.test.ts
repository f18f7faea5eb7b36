import { expect, test } from "vitest";
import { type Address, wordOfAddress, ZERO_ADDRESS } from "../../../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../../../src/core/evm/hex.ts";
import { createTestApp } from "../../../support/app.ts";
import { ask } from "../../../support/ask.ts";
import { type IndexedNode, openIndexedNode } from "../../../support/indexed-node.ts";
import { scriptedAddress } from "../../../support/scripted-node/block.ts";
import {
  balanceOfData,
  ID_TRANSFER,
  TRANSFER,
  word,
} from "../../../support/scripted-node/ledger.ts";

const token = scriptedAddress("token");
const holder = scriptedAddress("holder");
const balanceOfHolder = balanceOfData(holder);

/** Answer about the holder of a token, at the head or after a block. */
async function held(index: IndexedNode, of: Address, block?: number) {
  const server = await createTestApp({ sql: index.sql, nodeUrl: index.node.url });
  try {
    const action =
      block === undefined ? "action=tokenbalance" : `action=tokenbalancehistory&blockno=${block}`;
    const query = `module=account&${action}&contractaddress=${of}&address=${holder}`;
    const { status, message, result } = await ask(server.app, query);
    return status === "1" ? result : message;
  } finally {
    await server.close();
  }
}

test("of a token without any indexed transfer its contract is asked", async () => {
  const index = await openIndexedNode();
  // Minted in silence by its constructor, by ConsecutiveTransfer (ERC-2309), or before the first indexed block.
  index.node.chain.mine({
    state: {
      code: { [token]: "0x60" },
      calls: [{ to: token, data: balanceOfHolder, returns: word(5000) }],
    },
  });
  await index.start();
  await index.inStep();
  expect(await held(index, token)).toBe("5000");
  expect(await held(index, scriptedAddress("no contract"))).toBe("0");
});

test("of a token whose transfers tell nothing of an owner its contract is asked", async () => {
  const index = await openIndexedNode();
  const topics = [TRANSFER, wordOfAddress(ZERO_ADDRESS), wordOfAddress(scriptedAddress("other"))];
  index.node.chain.mine({
    transactions: [{ to: token, logs: [{ address: token, topics, data: word(7) }] }],
    state: {
      code: { [token]: "0x60" },
      calls: [{ to: token, data: balanceOfHolder, returns: word(5000) }],
    },
  });
  await index.start();
  await index.inStep();
  expect(await index.sql`SELECT irregular FROM tokens`).toEqual([{ irregular: false }]);
  expect(await held(index, token)).toBe("5000");
});

test("of a past block nothing is said where the contract did not tell it", async () => {
  const index = await openIndexedNode();
  const topics = [TRANSFER, wordOfAddress(ZERO_ADDRESS), wordOfAddress(holder)];
  index.node.chain.mine(
    {},
    {
      transactions: [{ to: token, logs: [{ address: token, topics, data: word(7) }] }],
      state: { code: { [token]: "0x60" } },
    },
    { state: { calls: [{ to: token, data: balanceOfHolder, returns: null }] } },
  );
  await index.start();
  await index.inStep();
  expect(await held(index, token, 1)).toBe("0");
  expect(await held(index, token, 2)).toBe("7");
  expect(await held(index, token, 3)).toBe("The contract does not tell what was held");
  expect(await held(index, token)).toContain("does not tell");
});

test("of a token with amounts and ids its contract confirms and counts the ids", async () => {
  const index = await openIndexedNode();
  const parties = [wordOfAddress(ZERO_ADDRESS), wordOfAddress(holder)];
  const log = (topics: Hex[], data: Hex = "0x") => ({ address: token, topics, data });
  const owner = (id: number) => hexConcat("0x6352211e", word(id));
  const count = hexConcat("0xb3f9ea34", wordOfAddress(holder));
  const inventory = async () => {
    const server = await createTestApp({ sql: index.sql, nodeUrl: index.node.url });
    const query = `module=account&action=addresstokennftinventory&contractaddress=${token}&address=${holder}`;
    const { status, message, result } = await ask(server.app, query).finally(() => server.close());
    return status === "1" ? result.map((row: { TokenId: string }) => row.TokenId) : message;
  };
  index.node.chain.mine({
    transactions: [
      {
        logs: [
          log([TRANSFER, ...parties], word(10n ** 18n)),
          log([ID_TRANSFER, ...parties, word(1)]),
          log([TRANSFER, ...parties, word(2)]),
        ],
      },
    ],
    state: {
      code: { [token]: "0x60" },
      calls: [
        { to: token, data: "0x313ce567", returns: word(18) },
        { to: token, data: balanceOfData(holder), returns: word(10n ** 18n) },
        // It returns more than an owner.
        { to: token, data: owner(1), returns: hexConcat(wordOfAddress(holder), word(9)) },
        { to: token, data: owner(2), returns: wordOfAddress(holder) },
      ],
    },
  });
  await index.start();
  await index.inStep();
  expect(await inventory()).toEqual(["1", "2"]);
  await index.follow({ state: { calls: [{ to: token, data: count, returns: word(3) }] } });
  expect(await inventory()).toContain("counts ids");
  await index.follow({ state: { calls: [{ to: token, data: count, returns: word(2) }] } });
  expect(await inventory()).toEqual(["1", "2"]);
});
