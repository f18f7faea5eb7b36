import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { addressAt, blockTime, GWEI, publish } from "../../../../support/build.ts";
import { expectGolden } from "../../../../support/golden.ts";

const HEAD = 110;
const TOKEN = addressAt(0x70);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  await publish(server.sql, {
    blocks: [
      ...Array.from({ length: HEAD + 1 }, (_, number) => ({
        number,
        baseFeePerGas: GWEI,
        // Two blocks of the same second, as rollups have them.
        ...(number === 51 && { timestamp: blockTime(50) }),
      })),
      { number: HEAD + 1 },
    ],
    transactions: [
      { blockNumber: 7, transactionIndex: 0, gasUsed: 21_000n, gasPrice: 3n * GWEI },
      { blockNumber: 7, transactionIndex: 1, gasUsed: 50_000n, gasPrice: GWEI + 1n },
      { blockNumber: HEAD + 1 },
    ],
    internalTransactions: [
      { blockNumber: 7, position: 1 },
      { blockNumber: 7, position: 2, value: 5n },
      { blockNumber: 7, position: 3, type: "create", createdContract: addressAt(9) },
    ],
    tokenTransfers: [
      { blockNumber: 7, logIndex: 0, token: TOKEN },
      { blockNumber: 7, logIndex: 1, token: TOKEN },
      { blockNumber: 7, logIndex: 2, token: TOKEN, standard: 721 },
      { blockNumber: 7, logIndex: 3, batchIndex: 0, token: TOKEN, standard: 1155 },
      { blockNumber: 7, logIndex: 3, batchIndex: 1, token: TOKEN, standard: 1155 },
    ],
    // The last block is still being written.
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
});
afterAll(() => server.close());

const CASES = {
  getblockreward: {
    known: "blockno=7",
    "plus sign": "blockno=%2B7",
    "no blockno": "",
    "empty blockno": "blockno=",
    "negative blockno": "blockno=-1",
    "hex blockno": "blockno=0x7",
    "fractional blockno": "blockno=1.5",
    "above the head": `blockno=${HEAD + 1}`,
    "above every number": `blockno=${"9".repeat(40)}`,
  },
  getblockcountdown: {
    "ten ahead": `blockno=${HEAD + 10}`,
    "far ahead": "blockno=1000000000000000000000000",
    "no blockno": "",
    "text for blockno": "blockno=soon",
    "the head itself": `blockno=${HEAD}`,
  },
  getblocknobytime: {
    before: `timestamp=${blockTime(40) + 3}&closest=before`,
    after: `timestamp=${blockTime(40) + 3}&closest=after`,
    "at a time of two blocks, before": `timestamp=${blockTime(50)}&closest=before`,
    "at a time of two blocks, after": `timestamp=${blockTime(50)}&closest=after`,
    "before the first block": `timestamp=${blockTime(0) - 1}&closest=before`,
    "after the head": `timestamp=${blockTime(HEAD) + 1}&closest=after`,
    "long after the head": "timestamp=253402300799&closest=before",
    "no closest": `timestamp=${blockTime(40)}`,
    nothing: "",
    "bad timestamp and bad closest": "timestamp=now&closest=BEFORE",
    "bad closest": `timestamp=${blockTime(40)}&closest=BEFORE`,
    "timestamp after the year 9999": "timestamp=253402300800&closest=before",
  },
  eth_block_number: { "no id": "", "id of a query": "id=7" },
  getblocktxnscount: {
    known: "blockno=7",
    "empty block": "blockno=8",
    bad: "blockno=0x7",
    nothing: "",
    "above the head": `blockno=${HEAD + 1}`,
  },
};

describe.each(Object.entries(CASES))("%s", (action, cases) => {
  test.each(Object.entries(cases))("answers as recorded: %s", async (name, query) => {
    const file = name.replaceAll(/[^a-z]+/gi, "-");
    const request = `module=block&action=${action}${query && `&${query}`}`;
    await expectGolden(server.app, `block/${action}/${file}.blockscout`, `/api?${request}`);
    await expectGolden(server.app, `block/${action}/${file}.etherscan`, `/v2/api?${request}`);
  });
});

test("getblockreward adds the static reward to the fees that the recipient keeps", async () => {
  const { app, close, sql } = await createTestApp({ staticReward: 2n * 10n ** 18n });
  await publish(sql, { blocks: [{ number: 0, reward: 5n }] });
  const response = await app.inject("/api?module=block&action=getblockreward&blockno=0");
  expect(response.json().result.blockReward).toBe("2000000000000000005");
  await close();
});

test("getblockcountdown has no pace to go by while there is one block only", async () => {
  const { app, close, sql } = await createTestApp();
  await publish(sql, { blocks: [{ number: 0 }] });
  const response = await app.inject("/api?module=block&action=getblockcountdown&blockno=10");
  expect(response.json().message).toBe("Chain is indexing now, try again later");
  await close();
});

test("blocks are found by time, and counted down to, where times go back", async () => {
  const { app, close, sql } = await createTestApp();
  const times = [100, 300, 200, 50];
  await publish(sql, { blocks: times.map((timestamp, number) => ({ number, timestamp })) });
  const find = async (query: string) => {
    const response = await app.inject(`/v2/api?module=block&action=getblocknobytime&${query}`);
    return response.json().result;
  };
  expect(await find("timestamp=250&closest=before")).toBe("2");
  expect(await find("timestamp=250&closest=after")).toBe("1");
  expect(await find("timestamp=301&closest=before")).toBe("1");
  expect(await find("timestamp=60&closest=after")).toBe("0");
  const response = await app.inject("/api?module=block&action=getblockcountdown&blockno=10");
  expect(response.json().result.EstimateTimeInSec).toBe("0.0");
  await close();
});
