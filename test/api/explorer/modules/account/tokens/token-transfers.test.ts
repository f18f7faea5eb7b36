import { afterAll, beforeAll, expect, test } from "vitest";
import { ZERO_ADDRESS } from "../../../../../../src/core/evm/address.ts";
import { createTestApp, type TestApp } from "../../../../../support/app.ts";
import { ask } from "../../../../../support/ask.ts";
import { addressAt, blockTime, publish } from "../../../../../support/build.ts";
import { partyCases, recordedCases } from "../../../../../support/recorded-cases.ts";

const HEAD = 12;
const ALICE = addressAt(0xa11ce);
const BOB = addressAt(0xb0b);
const PEARL = addressAt(0x20);
const NAMELESS = addressAt(0x21);
const BUOYS = addressAt(0x721);
const SHELLS = addressAt(0x1155);
const HALVES = addressAt(0x404);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  const toAlice = { fromAddress: BOB, toAddress: ALICE };
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number })),
    transactions: [2, 4, 6, 8, HEAD + 1].flatMap((blockNumber) => [
      { blockNumber, fromAddress: BOB, toAddress: PEARL, input: "0xa9059cbb" as const, nonce: 7n },
      { blockNumber, transactionIndex: 1, fromAddress: ALICE, toAddress: SHELLS },
    ]),
    tokens: [
      { address: PEARL },
      { address: NAMELESS, name: null, symbol: null, decimals: null },
      { address: BUOYS, standard: 721, name: "Buoys", symbol: "BUOY", decimals: null },
      { address: SHELLS, standard: 1155, name: null, symbol: null, decimals: null },
      { address: HALVES, standard: 404, name: "Halves", symbol: "HLF", decimals: 18 },
    ],
    tokenTransfers: [
      { blockNumber: 2, logIndex: 0, token: PEARL, ...toAlice, amount: 1_250_000n },
      { blockNumber: 2, logIndex: 1, token: NAMELESS, fromAddress: ZERO_ADDRESS, toAddress: ALICE },
      {
        blockNumber: 4,
        logIndex: 0,
        token: PEARL,
        fromAddress: ALICE,
        toAddress: ALICE,
        amount: 5n,
      },
      { blockNumber: 4, logIndex: 1, token: BUOYS, standard: 721, ...toAlice, tokenId: 417n },
      {
        blockNumber: 6,
        logIndex: 0,
        token: PEARL,
        fromAddress: ALICE,
        toAddress: BOB,
        amount: 2n ** 256n - 1n,
      },
      ...[9n, 8n, 9n].map((tokenId, batchIndex) => ({
        blockNumber: 6,
        logIndex: 3,
        batchIndex,
        transactionIndex: 1,
        token: SHELLS,
        standard: 1155,
        ...toAlice,
        tokenId,
        amount: 30n + BigInt(batchIndex),
      })),
      {
        blockNumber: 8,
        logIndex: 0,
        token: HALVES,
        standard: 404,
        ...toAlice,
        tokenId: null,
        amount: 10n ** 18n,
      },
      {
        blockNumber: 8,
        logIndex: 1,
        token: HALVES,
        standard: 404,
        ...toAlice,
        tokenId: 3n,
        amount: null,
      },
      { blockNumber: HEAD + 1, logIndex: 0, token: PEARL, ...toAlice },
    ],
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
});
afterAll(() => server.close());

const REFUSED = {
  neither: "page=1",
  "bad address": "address=0x12&contractaddress=0x13",
  "bad token": `address=${ALICE}&contractaddress=0x13`,
  "empty token": "contractaddress=",
  window: "page=101&offset=100&address=0x12",
  ...partyCases(BOB, ALICE),
};

recordedCases(() => server.app, "account", {
  tokentx: {
    "of an address": `address=${ALICE}`,
    "of a token": `contractaddress=${PEARL}&sort=asc`,
    "of both": `address=${BOB}&contractaddress=${PEARL}`,
    "unknown address": `address=${addressAt(0x999)}`,
    "page past the end": `address=${ALICE}&page=9&offset=10`,
    ...REFUSED,
  },
  tokennfttx: { "of an address": `address=${ALICE}`, empty: `address=${PEARL}`, ...REFUSED },
  token1155tx: {
    "of an address": `address=${ALICE}&sort=asc`,
    empty: `contractaddress=${BUOYS}`,
    ...REFUSED,
  },
  token404tx: {
    "of a token": `contractaddress=${HALVES}&sort=asc`,
    empty: `address=${PEARL}`,
    ...REFUSED,
  },
});

const listOf = async (action: string, query: string, path?: "/v2/api") =>
  (await ask(server.app, `module=account&action=${action}&${query}`, path)).result;

test("tokentx shows a transfer to oneself once, and transfers of other standards never", async () => {
  const values = (await listOf("tokentx", `address=${ALICE}&sort=asc`)).map(
    ({ value }: { value: string }) => value,
  );
  expect(values).toEqual(["1250000", "1", "5", String(2n ** 256n - 1n)]);
});

test("token1155tx has one element per id of a batch, reversed under desc, and pages them", async () => {
  const ids = async (query: string) =>
    (await listOf("token1155tx", `address=${ALICE}&${query}`)).map(
      (row: { tokenID: string; tokenValue: string }) => `${row.tokenID}:${row.tokenValue}`,
    );
  expect(await ids("sort=asc")).toEqual(["9:30", "8:31", "9:32"]);
  expect(await ids("sort=desc")).toEqual(["9:32", "8:31", "9:30"]);
  expect(await ids("sort=asc&page=2&offset=2")).toEqual(["9:32"]);
});

test("the lists without a wish begin with the newest, in Etherscan's dialect with the oldest", async () => {
  const blocks = (rows: { blockNumber: string }[]) => rows.map((row) => row.blockNumber);
  expect(blocks(await listOf("tokentx", `address=${ALICE}`))).toEqual(["6", "4", "2", "2"]);
  expect(blocks(await listOf("tokentx", `address=${ALICE}`, "/v2/api"))).toEqual([
    "2",
    "2",
    "4",
    "6",
  ]);
});

test.each([
  ["startblock=3&endblock=5", ["4"]],
  ["startblock=5", ["6"]],
  ["endblock=99999999999", ["2", "4", "6"]],
  ["filter_by=from&start_timestamp=1", ["2", "4", "6"]],
])("tokentx of a token takes %s", async (query, blocks) => {
  const rows = await listOf("tokentx", `contractaddress=${PEARL}&sort=asc&${query}`);
  expect(rows.map(({ blockNumber }: { blockNumber: string }) => blockNumber)).toEqual(blocks);
});
