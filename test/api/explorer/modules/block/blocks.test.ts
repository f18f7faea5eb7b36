import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { ask } from "../../../../support/ask.ts";
import { addressAt, blockHash, blockTime, GWEI, publish } from "../../../../support/build.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";

const HEAD = 30;

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number, baseFeePerGas: GWEI })),
    transactions: [{ blockNumber: 7, gasUsed: 21_000n, gasPrice: 3n * GWEI }],
    withdrawals: [
      { blockNumber: 7, withdrawalIndex: 4, address: addressAt(2) },
      { blockNumber: 7, withdrawalIndex: 3, address: addressAt(1) },
    ],
    // The last block is still being written.
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
});
afterAll(() => server.close());

recordedCases(() => server.app, "block", {
  getblock: {
    "by number": "block=7",
    "by hash": `block=${blockHash(8)}`,
    unknown: `block=${HEAD + 1}`,
    bad: "block=0x7",
    nothing: "",
  },
  listblocks: {
    paged: "page=2&offset=2",
    bounded: "startblock=7&endblock=7",
    empty: "startblock=31",
    window: "page=11&offset=1000",
  },
});

const block = (which: string) => ask(server.app, `module=block&action=getblock&block=${which}`);
const numbers = async (query: string) => {
  const { result } = await ask(server.app, `module=block&action=listblocks${query}`);
  return result.map(({ blockNumber }: { blockNumber: string }) => Number(blockNumber));
};

test("a block is found by number, by hash in any letter case, and as the newest", async () => {
  const byNumber = await block("7");
  expect(byNumber.result).toMatchObject({
    blockNumber: "7",
    blockHash: blockHash(7),
    parentHash: blockHash(6),
    timeStamp: String(blockTime(7)),
    confirmations: String(HEAD - 7),
    txsCount: "1",
    baseFeePerGas: String(GWEI),
    fees: String(63_000n * GWEI),
    burntFees: String(21_000n * GWEI),
  });
  expect(byNumber.result.withdrawals.map((each: { address: string }) => each.address)).toEqual([
    addressAt(1),
    addressAt(2),
  ]);
  const byHash = await block(`0x${blockHash(7).slice(2).toUpperCase()}`);
  expect(byHash.result).toEqual(byNumber.result);
  expect((await block("latest")).result.blockNumber).toBe(String(HEAD));
});

test.each([
  ["above the head", String(HEAD + 1), "Block does not exist"],
  ["above every number", "9".repeat(15), "Block does not exist"],
  ["of an unknown hash", blockHash(500), "Block does not exist"],
  ["above the head, by hash", blockHash(HEAD + 1), "Block does not exist"],
  ["without a name", "", "Invalid block"],
  ["in hex", "0x7", "Invalid block"],
  ["negative", "-1", "Invalid block"],
  ["of too many digits", "9".repeat(40), "Invalid block"],
])("a block %s is refused in words", async (_name, which, message) => {
  expect(await block(which)).toMatchObject({ httpStatus: 200, status: "0", message });
});

test("blocks are listed from the head down, page by page, between bounds", async () => {
  expect(await numbers("")).toEqual(Array.from({ length: 25 }, (_, index) => HEAD - index));
  expect(await numbers("&page=2")).toEqual([5, 4, 3, 2, 1, 0]);
  expect(await numbers("&page=2&offset=3")).toEqual([27, 26, 25]);
  expect(await numbers("&startblock=4&endblock=6")).toEqual([6, 5, 4]);
  const none = await ask(server.app, "module=block&action=listblocks&startblock=31");
  expect(none).toMatchObject({ status: "0", message: "No blocks found", result: [] });
});
