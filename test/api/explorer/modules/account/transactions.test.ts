import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { addressAt, blockTime, publish, transactionHash } from "../../../../support/build.ts";
import { partyCases, recordedCases } from "../../../../support/recorded-cases.ts";

const HEAD = 20;
const ALICE = addressAt(0xa11ce);
const BOB = addressAt(0xb0b);
const FACTORY = addressAt(0xfac);
const CREATED = addressAt(0xc0de);
const STRANGER = addressAt(0x999);
const BUSY = addressAt(0xb1);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number })),
    transactions: [
      { blockNumber: 3, fromAddress: ALICE, toAddress: BOB, value: 10n ** 18n },
      { blockNumber: 3, transactionIndex: 1, fromAddress: BOB, toAddress: ALICE, nonce: 7n },
      { blockNumber: 5, fromAddress: ALICE, toAddress: ALICE, input: "0xa9059cbb" },
      {
        blockNumber: 8,
        fromAddress: ALICE,
        toAddress: null,
        createdContract: FACTORY,
        input: "0x60806040",
      },
      { blockNumber: 9, fromAddress: ALICE, toAddress: BOB, status: 0, input: "0xa9059c" },
      { blockNumber: 10, fromAddress: BOB, toAddress: ALICE, status: null, input: "0xa9059cbb00" },
      ...Array.from({ length: 12 }, (_, index) => ({
        blockNumber: 12 + (index % 3),
        transactionIndex: Math.floor(index / 3),
        fromAddress: BUSY,
        toAddress: BUSY,
      })),
      // Still being written.
      { blockNumber: HEAD + 1, fromAddress: ALICE, toAddress: BOB },
    ],
    internalTransactions: [
      {
        blockNumber: 3,
        position: 1,
        fromAddress: BOB,
        toAddress: ALICE,
        value: 5n,
        traceAddress: [0],
      },
      { blockNumber: 3, position: 2, fromAddress: BOB, toAddress: ALICE, traceAddress: [0, 1] },
      {
        blockNumber: 3,
        position: 3,
        fromAddress: BOB,
        toAddress: ALICE,
        callType: "staticcall",
        traceAddress: [1],
      },
      { blockNumber: 5, position: 1, fromAddress: ALICE, toAddress: ALICE, value: 1n },
      { blockNumber: 8, position: 0, type: "create", fromAddress: ALICE, createdContract: FACTORY },
      {
        blockNumber: 8,
        position: 1,
        type: "create2",
        fromAddress: FACTORY,
        createdContract: CREATED,
        input: "0x6080",
      },
      {
        blockNumber: 9,
        position: 1,
        fromAddress: BOB,
        toAddress: ALICE,
        value: 2n,
        gasUsed: null,
        error: "out of gas",
        effective: false,
      },
      {
        blockNumber: 9,
        position: 2,
        type: "selfdestruct",
        fromAddress: BOB,
        toAddress: ALICE,
        gas: null,
        gasUsed: null,
      },
      { blockNumber: HEAD + 1, position: 1, fromAddress: BOB, toAddress: ALICE, value: 9n },
    ],
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
});
afterAll(() => server.close());

const hashesOf = async (query: string, path?: "/v2/api") => {
  const { result } = await ask(server.app, `module=account&action=txlist&${query}`, path);
  return result.map(({ hash }: { hash: string }) => hash);
};
const OWN = [
  transactionHash(3, 0),
  transactionHash(3, 1),
  transactionHash(5),
  transactionHash(8),
  transactionHash(9),
  transactionHash(10),
];

recordedCases(() => server.app, "account", {
  txlist: {
    ...partyCases(ALICE, BOB),
    all: `address=${ALICE}`,
    "of the created contract": `address=${FACTORY}`,
    "address in capitals": `address=0x${ALICE.slice(2).toUpperCase()}&sort=asc&page=1&offset=1`,
    "unknown address": `address=${STRANGER}`,
    "page past the end": `address=${ALICE}&page=2&offset=6`,
    "no address": "",
    "empty address": "address=",
    "bad address": "address=0x12",
    "window before the address": "page=3&offset=5000",
  },
  txlistinternal: {
    ...partyCases(BOB, ALICE),
    "of an address": `address=${ALICE}`,
    "of an address, zero values too": `address=${ALICE}&include_zero_value=TRUE&sort=asc`,
    "of the created contract": `address=${CREATED}`,
    "of a transaction": `txhash=${transactionHash(3)}`,
    "of a range": "startblock=4&endblock=8&sort=asc",
    "failed and self-destruct": "startblock=9&endblock=9&sort=asc",
    "unknown address": `address=${STRANGER}`,
    "unknown transaction": `txhash=${transactionHash(77)}`,
    "bad address": "address=0x12",
    "bad hash": "txhash=0x12",
    window: "page=101&offset=100",
  },
});

describe("txlist", () => {
  test("lists by block and index, the newest first in Blockscout's dialect and last in Etherscan's", async () => {
    expect(await hashesOf(`address=${ALICE}`)).toEqual(OWN.toReversed());
    expect(await hashesOf(`address=${ALICE}`, "/v2/api")).toEqual(OWN);
  });

  test("sorts as asked, and ignores a wish that it does not know", async () => {
    expect(await hashesOf(`address=${ALICE}&sort=asc`)).toEqual(OWN);
    expect(await hashesOf(`address=${ALICE}&sort=desc`, "/v2/api")).toEqual(OWN.toReversed());
    expect(await hashesOf(`address=${ALICE}&sort=ASC`)).toEqual(OWN.toReversed());
  });

  test("shows a transaction to oneself once, whatever the side", async () => {
    const self = transactionHash(5);
    for (const side of ["", "&filter_by=from", "&filter_by=to"]) {
      const hashes = await hashesOf(`address=${ALICE}${side}`);
      expect(hashes.filter((hash: string) => hash === self)).toHaveLength(1);
    }
  });

  test("filters by side; a created contract stands on the receiving one", async () => {
    expect(await hashesOf(`address=${ALICE}&filter_by=from&sort=asc`)).toEqual([
      transactionHash(3, 0),
      transactionHash(5),
      transactionHash(8),
      transactionHash(9),
    ]);
    expect(await hashesOf(`address=${FACTORY}&filter_by=to`)).toEqual([transactionHash(8)]);
    expect(await hashesOf(`address=${FACTORY}&filter_by=from`)).toEqual([]);
    expect(await hashesOf(`address=${ALICE}&filter_by=sender&sort=asc`)).toEqual(OWN);
  });

  test.each([
    ["startblock=5&endblock=8", [5, 8]],
    ["startBlock=9&endBlock=99999999999", [9, 10]],
    ["startblock=0x9&endblock=5", [3, 3, 5]],
    ["startblock=-1&endblock=3", [3, 3]],
    ["startblock=2147483648&endblock=latest", [3, 3, 5, 8, 9, 10]],
    ["startblock=2147483647", []],
    ["startblock=6&endblock=5", []],
  ])("takes the blocks of %s", async (query, blocks) => {
    const { result } = await ask(
      server.app,
      `module=account&action=txlist&address=${ALICE}&sort=asc&${query}`,
    );
    expect(result.map((row: { blockNumber: string }) => Number(row.blockNumber))).toEqual(blocks);
  });

  test.each([
    [`start_timestamp=${blockTime(5)}&end_timestamp=${blockTime(8)}`, [5, 8]],
    [`start_timestamp=${blockTime(5) + 1}&end_timestamp=${blockTime(8) - 1}`, []],
    [`start_timestamp=${blockTime(4)}&end_timestamp=${blockTime(9) + 3}`, [5, 8, 9]],
    [`end_timestamp=${blockTime(0) - 1}`, []],
    [`start_timestamp=${blockTime(HEAD) + 1}`, []],
    ["start_timestamp=yesterday&end_timestamp=99999999999999", [3, 3, 5, 8, 9, 10]],
    [`start_timestamp=${blockTime(5)}&startblock=8`, [8, 9, 10]],
  ])("takes the times of %s", async (query, blocks) => {
    const { result } = await ask(
      server.app,
      `module=account&action=txlist&address=${ALICE}&sort=asc&${query}`,
    );
    expect(result.map((row: { blockNumber: string }) => Number(row.blockNumber))).toEqual(blocks);
  });

  test("pages without losing or doubling a row", async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => hashesOf(`address=${BUSY}&page=${page}&offset=5`)),
    );
    expect(pages.map((page) => page.length)).toEqual([5, 5, 2, 0]);
    expect(new Set(pages.flat()).size).toBe(12);
    expect(pages.flat()).toEqual(await hashesOf(`address=${BUSY}`));
  });

  test.each([
    "page=0",
    "page=-1",
    "page=x",
    "page=1.5",
    "page=%201",
    "offset=0",
    "offset=10001",
    "offset=1e1",
  ])("ignores %s", async (query) => {
    expect(await hashesOf(`address=${BUSY}&${query}`)).toHaveLength(12);
  });

  test("has a window only when page and offset are both given", async () => {
    const both = await ask(
      server.app,
      `module=account&action=txlist&address=${BUSY}&page=2&offset=5001`,
    );
    expect(both.message).toMatch(/^Result window is too large/);
    for (const query of ["page=2", "page=99999999999", "offset=10000", "page=2&offset=5000"]) {
      const { message } = await ask(
        server.app,
        `module=account&action=txlist&address=${BUSY}&${query}`,
      );
      expect(message).not.toMatch(/window/);
    }
  });

  test("does not show what is above the head", async () => {
    expect(await hashesOf(`address=${ALICE}&startblock=${HEAD}`)).toEqual([]);
  });
});

describe("txlistinternal", () => {
  const positionsOf = async (query: string) => {
    const { result } = await ask(server.app, `module=account&action=txlistinternal&${query}`);
    return result.map(
      (row: { blockNumber: string; index: string }) => `${row.blockNumber}/${row.index}`,
    );
  };

  test("leaves out calls without a value unless they are asked for", async () => {
    expect(await positionsOf("startblock=3&endblock=3&sort=asc")).toEqual(["3/1"]);
    expect(await positionsOf("startblock=3&endblock=3&sort=asc&include_zero_value=true")).toEqual([
      "3/1",
      "3/2",
      "3/3",
    ]);
    expect(await positionsOf(`txhash=${transactionHash(3)}&include_zero_value=yes`)).toEqual([
      "3/1",
    ]);
  });

  test("reverses the whole order under desc", async () => {
    const query = `txhash=${transactionHash(3)}&include_zero_value=true`;
    expect(await positionsOf(query)).toEqual(["3/3", "3/2", "3/1"]);
  });

  test("filters by side", async () => {
    expect(await positionsOf(`address=${ALICE}&filter_by=from&sort=asc`)).toEqual(["5/1", "8/0"]);
    expect(await positionsOf(`address=${ALICE}&filter_by=to&sort=asc`)).toEqual([
      "3/1",
      "5/1",
      "9/1",
      "9/2",
    ]);
  });

  test("does not look at the hash beside an address", async () => {
    expect(await positionsOf(`address=${CREATED}&txhash=nonsense`)).toEqual(["8/1"]);
  });

  test("pages a range of blocks", async () => {
    const all = await positionsOf("");
    expect(all).toEqual(["9/2", "9/1", "8/1", "8/0", "5/1", "3/1"]);
    expect(await positionsOf("page=2&offset=4")).toEqual(all.slice(4));
  });
});
