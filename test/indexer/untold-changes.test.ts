import { beforeEach, describe, expect, it } from "vitest";
import { type Address, wordOfAddress } from "../../src/core/evm/address.ts";
import { type Hex, hexConcat } from "../../src/core/evm/hex.ts";
import { type IndexedNode, openIndexedNode } from "../support/indexed-node.ts";
import { scriptedAddress } from "../support/scripted-node/block.ts";
import {
  balanceOfData,
  TRANSFER,
  TRANSFER_BATCH,
  TRANSFER_SINGLE,
  word,
} from "../support/scripted-node/ledger.ts";

describe("an indexer of what changes without a trace", () => {
  let index: IndexedNode;

  beforeEach(async () => {
    index = await openIndexedNode();
    await index.start();
  });

  it("reads the fee vaults of a rollup at each of its blocks", async () => {
    const vault: Address = "0x4200000000000000000000000000000000000019";
    index.node.chain.mine({ transactions: [{ type: 126 }, { to: vault, valueWei: 1n }] });
    await index.inStep();
    index.node.chain.mine({ transactions: [{ type: 126 }], state: { balances: { [vault]: 77n } } });
    await index.inStep();
    expect(await index.sql`SELECT balance FROM addresses WHERE address = ${vault}`).toMatchObject([
      { balance: "77" },
    ]);
  });

  it("counts a fee vault from the block that names it, not from the first deposit of a range", async () => {
    const vault: Address = "0x4200000000000000000000000000000000000019";
    const deposits = Array.from({ length: 40 }, () => ({ transactions: [{ type: 126 }] }));
    await index.stop();
    index.node.chain.mine(...deposits, { transactions: [{ to: vault, valueWei: 1n }] });
    await index.start({ finalityDepth: 0 });
    await index.inStep();
    expect(
      await index.sql`SELECT first_block FROM addresses WHERE address = ${vault}`,
    ).toMatchObject([{ firstBlock: 41 }]);
  });

  it("reads the holders of an irregular token on its events, and not who held it once", async () => {
    const token = scriptedAddress("token");
    const holder = scriptedAddress("holder");
    const silent = scriptedAddress("silent");
    const log = (from: Address, to: Address, amount: number) => ({
      address: token,
      topics: [TRANSFER, wordOfAddress(from), wordOfAddress(to)],
      data: word(amount),
    });
    const past = Array.from({ length: 300 }, (_, index) => scriptedAddress(`past ${index}`));
    const minted = past.map((owner) => log(`0x${"0".repeat(40)}`, owner, 1));
    const collected = past.map((owner) => log(owner, holder, 1));
    const rebase = (amount: number) => ({
      calls: [{ to: token, data: balanceOfData(silent), returns: word(amount) }],
    });
    index.node.chain.mine(
      { transactions: [{ logs: [...minted, ...collected, log(holder, silent, 2)] }] },
      { transactions: [{ logs: [log(silent, holder, 1)] }], state: rebase(50) },
    );
    await index.inStep();
    const before = index.node.count("eth_call");
    index.node.chain.mine({
      transactions: [{ logs: [log(holder, past[0] as Address, 5)] }],
      state: rebase(70),
    });
    await index.inStep();
    expect(index.node.count("eth_call") - before).toBeLessThan(150);
    expect(
      await index.sql`SELECT amount FROM token_balances WHERE owner = ${silent}`,
    ).toMatchObject([{ amount: "70" }]);
  });

  it("reads the accounts that the first block of a token names without a transfer", async () => {
    const [token, holder, issued, called] = ["token", "holder", "issued", "called"].map(
      scriptedAddress,
    ) as [Address, Address, Address, Address];
    const names = (topic: Hex, ...words: Address[]) => ({
      address: token,
      topics: [topic, ...words.map(wordOfAddress)],
      data: word(1),
    });
    const balance = (owner: Address) => ({
      to: token,
      data: balanceOfData(owner),
      returns: word(7),
    });
    const transfer = names(TRANSFER, `0x${"0".repeat(40)}`, holder);
    // Its data is too long for ERC-20.
    const long = { ...names(TRANSFER, holder, issued), data: hexConcat(word(1), word(2)) };
    index.node.chain.mine({
      transactions: [
        { to: token, logs: [{ ...transfer, data: word(7) }, long] },
        { to: token, input: hexConcat("0x12345678", wordOfAddress(called)) },
      ],
      state: { calls: [holder, issued, called].map(balance) },
    });
    await index.inStep();
    const rows = await index.sql`SELECT amount FROM token_balances WHERE amount > 0`;
    expect(rows).toEqual([{ amount: "7" }, { amount: "7" }, { amount: "7" }]);
    index.node.chain.reorg(1, {}, {});
    await index.inStep();
    expect(await index.sql`SELECT 1 FROM token_balances`).toHaveLength(0);
  });

  it("reads what changes in a later part of the first synchronisation", async () => {
    const loading = await openIndexedNode();
    const [token, holder] = [scriptedAddress("token"), scriptedAddress("holder")];
    const acts = (topic: Hex, amount: number) => ({
      transactions: [
        {
          to: token,
          logs: [
            {
              address: token,
              topics: [topic, wordOfAddress(`0x${"0".repeat(40)}`), wordOfAddress(holder)],
              data: word(7),
            },
          ],
        },
      ],
      state: { calls: [{ to: token, data: balanceOfData(holder), returns: word(amount) }] },
    });
    loading.node.chain.mine(acts(TRANSFER, 7), ...Array.from({ length: 20 }, () => ({})));
    loading.node.chain.mine(acts(word(77), 9), ...Array.from({ length: 15 }, () => ({})));
    await loading.start({ finalityDepth: 1_000 });
    await loading.inStep();
    const rows = await loading.sql`SELECT amount FROM token_balances WHERE owner = ${holder}`;
    expect(rows).toEqual([{ amount: "9" }]);
  });

  it("reads the accounts that a loaded chain names without a transfer, once a holding disagrees", async () => {
    const [token, holder, logged, called] = ["token", "holder", "logged", "called"].map(
      scriptedAddress,
    ) as [Address, Address, Address, Address];
    const balance = (owner: Address) => ({
      to: token,
      data: balanceOfData(owner),
      returns: word(7),
    });
    const topics = [TRANSFER, wordOfAddress(`0x${"0".repeat(40)}`), wordOfAddress(holder)];
    await index.stop();
    index.node.chain.mine(
      { transactions: [{ logs: [{ address: token, topics, data: word(5) }] }] },
      {
        transactions: [
          { logs: [{ address: token, topics: [word(77)], data: wordOfAddress(logged) }] },
          { to: token, input: hexConcat("0x12345678", wordOfAddress(called)) },
        ],
        state: { calls: [holder, logged, called].map(balance) },
      },
      ...Array.from({ length: 40 }, () => ({})),
    );
    await index.start({ finalityDepth: 0 });
    await index.inStep();
    await index.indexer.until(async () => {
      const rows = await index.sql`SELECT 1 FROM token_balances WHERE amount = 7`;
      return rows.length === 3;
    });
  });

  it("reads the ids that a log of ERC-1155 names without a transfer", async () => {
    const [token, holder] = [scriptedAddress("token"), scriptedAddress("holder")];
    const parties = [`0x${"0".repeat(40)}`, `0x${"0".repeat(40)}`, holder].map((one) =>
      wordOfAddress(one as Address),
    );
    const log = (topics: Hex[], ...words: number[]) => ({
      transactions: [{ logs: [{ address: token, topics, data: hexConcat(...words.map(word)) }] }],
    });
    const ids = [5n, 6n, 9n].map((id) => ({
      to: token,
      data: balanceOfData(holder, id),
      returns: word(id),
    }));
    await index.follow({ ...log([TRANSFER_SINGLE, ...parties], 1, 3), state: { calls: ids } });
    // Two ids and one amount, then an event of its own.
    await index.follow(log([TRANSFER_BATCH, ...parties], 64, 160, 2, 5, 6, 1, 0));
    await index.follow(log([word(77), ...parties], 9, 4));
    expect(
      await index.sql`SELECT token_id, amount FROM token_id_balances ORDER BY token_id`,
    ).toEqual([
      { tokenId: "1", amount: "3" },
      ...[5, 6, 9].map(String).map((id) => ({ tokenId: id, amount: id })),
    ]);
  });

  it("finds an account with an id of ERC-1155 that no log or call names together", async () => {
    const token = scriptedAddress("token");
    const [one, two] = [scriptedAddress("one"), scriptedAddress("two")];
    const mint = (holder: Address, id: number) => ({
      address: token,
      topics: [
        TRANSFER_SINGLE,
        ...[`0x${"0".repeat(40)}` as Address, `0x${"0".repeat(40)}` as Address, holder].map(
          wordOfAddress,
        ),
      ],
      data: hexConcat(word(id), word(3)),
    });
    await index.follow({ transactions: [{ logs: [mint(one, 1), mint(two, 2)] }] });
    await index.stop();
    index.node.chain.mine({
      state: { calls: [{ to: token, data: balanceOfData(one, 2n), returns: word(7) }] },
    });
    // A sweep may come within a second of the start, and the next a minute later.
    await index.start();
    const held = () => index.sql`
      SELECT token_id, amount FROM token_id_balances WHERE owner = ${one} ORDER BY token_id`;
    await expect.poll(held, { timeout: 20_000 }).toEqual([
      { tokenId: "1", amount: "3" },
      { tokenId: "2", amount: "7" },
    ]);
    expect(await index.sql`SELECT irregular FROM tokens`).toEqual([{ irregular: true }]);
  });

  it("brings back what an irregular token took away without a word in blocks that are reorganised", async () => {
    const [token, giver, silent] = ["token", "giver", "silent"].map(scriptedAddress) as [
      ...[Address, Address, Address],
    ];
    const block = (from: Address, to: Address, held: number) => ({
      transactions: [
        {
          logs: [
            {
              address: token,
              topics: [TRANSFER, wordOfAddress(from), wordOfAddress(to)],
              data: word(10),
            },
          ],
        },
      ],
      state: { calls: [{ to: token, data: balanceOfData(silent), returns: word(held) }] },
    });
    const nobody: Address = `0x${"0".repeat(40)}`;
    const rows = () =>
      index.sql`SELECT amount, block_number AS block FROM token_balances WHERE owner = ${silent}`;
    // Another amount than the sum of its transfers: the token is irregular from here on.
    index.node.chain.mine(block(nobody, silent, 50), block(nobody, giver, 50));
    await index.inStep();
    index.node.chain.mine(block(nobody, giver, 0));
    await index.inStep();
    expect(await rows()).toMatchObject([{ amount: "0", block: 3 }]);
    index.node.chain.reorg(1, 1);
    await index.inStep();
    expect(await rows()).toMatchObject([{ amount: "50", block: 2 }]);
  });

  it("takes a token for irregular by what it sees change, not by what was before the first block", async () => {
    const [regular, silent] = [scriptedAddress("regular"), scriptedAddress("silent mint")];
    const [giver, taker] = [scriptedAddress("giver"), scriptedAddress("taker")];
    const move = (from: Address, to: Address) => ({
      transactions: [
        {
          logs: [regular, silent].map((address) => ({
            address,
            topics: [TRANSFER, wordOfAddress(from), wordOfAddress(to)],
            data: word(10),
          })),
        },
      ],
    });
    await index.stop();
    for (let count = 0; count < 3; count++)
      index.node.chain.mine(move(`0x${"0".repeat(40)}`, giver));
    await index.start({ startBlock: 3 });
    await index.inStep();
    index.node.chain.mine(move(giver, taker));
    await index.inStep();
    const irregular = async () =>
      (await index.sql`SELECT address FROM tokens WHERE irregular`).map((row) => row["address"]);
    expect(await irregular()).toEqual([]);
    const balance = { to: silent, data: balanceOfData(taker), returns: word(1_000) };
    index.node.chain.mine({ ...move(taker, giver), state: { calls: [balance] } });
    await index.inStep();
    expect(await irregular()).toEqual([silent]);
    expect(
      await index.sql`SELECT amount FROM token_balances WHERE token = ${regular} AND owner = ${giver}`,
    ).toMatchObject([{ amount: "30" }]);
  });
});
