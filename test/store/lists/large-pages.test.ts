import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PageTooLarge, readPage } from "../../../src/store/lists/large-pages.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, publish } from "../../support/build.ts";

const ACCOUNT = addressAt(0xa);
const TOKEN = addressAt(0xc);
const COUNT = 450;
/** 300 of them are more than an answer may hold. */
const LARGE = `0x${"00".repeat(200_000)}` as const;

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp();
  const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
  const inBlocks = <Fields extends object>(fields: Fields) =>
    numbers.map((blockNumber) => ({ blockNumber, ...fields }));
  await publish(server.sql, {
    blocks: Array.from({ length: COUNT + 1 }, (_, number) => ({ number })),
    transactions: inBlocks({ fromAddress: ACCOUNT, toAddress: TOKEN }),
    internalTransactions: inBlocks({ position: 1, fromAddress: ACCOUNT, value: 1n }),
    logs: inBlocks({ logIndex: 0, address: TOKEN }),
    tokenTransfers: inBlocks({ logIndex: 0, token: TOKEN, fromAddress: ACCOUNT }),
  });
});
afterAll(() => server.close());

const ACTIONS = [
  `module=account&action=txlist&address=${ACCOUNT}`,
  `module=account&action=tokentx&address=${ACCOUNT}`,
  `module=account&action=txlistinternal&address=${ACCOUNT}`,
  `module=logs&action=getLogs&fromBlock=0&toBlock=latest&address=${TOKEN}`,
];

async function ask(query: string) {
  const response = await server.app.inject(`/api?${query}`);
  return { status: response.statusCode, body: response.json() };
}

describe("a page that is read in parts", () => {
  test.each(ACTIONS)("is whole and in order: %s", async (query) => {
    const pages = [1, 2, 3].map((page) => ask(`${query}&page=${page}&offset=150`));
    const parts = (await Promise.all(pages)).flatMap(({ body }) => body.result);
    expect(parts).toHaveLength(COUNT);
    expect((await ask(query)).body.result).toEqual(parts);
  });
});

describe("a page of more data than an answer may hold", () => {
  beforeAll(async () => {
    await server.sql`UPDATE transactions SET input = ${LARGE}`;
    await server.sql`UPDATE internal_transactions SET input = ${LARGE}`;
    await server.sql`UPDATE logs SET data = ${LARGE}`;
  });

  test.each(ACTIONS)("is refused with words, and the next one answered: %s", async (query) => {
    expect(await ask(query)).toEqual({
      status: 200,
      body: {
        status: "0",
        message: "The answer is too large, please narrow the range or use smaller pages",
        result: null,
      },
    });
    expect((await ask(`${query}&page=2&offset=3`)).body.result).toHaveLength(3);
  });
});

/** A cursor over rows of this text, which notes each part. */
function pageOf(rows: number, text: string, note: () => void) {
  return {
    cursor: async (size: number, take: (part: string[]) => unknown) => {
      for (let start = 0; start < rows; start += size) {
        note();
        await take(Array(Math.min(size, rows - start)).fill(text));
      }
    },
    // biome-ignore lint/suspicious/noThenProperty: that is what a query is
    then: () => Promise.reject(new Error("read at once")),
  };
}

function read(rows: number, text: string, note: () => void) {
  return readPage(pageOf(rows, text, note) as never, rows, (row: string) => [row]);
}

const PAGES: [string, number, string][] = [
  ["of large rows", 200, "x".repeat(50_000)],
  ["of many rows", 10_000, ""],
];

test.each(PAGES)(
  "two pages %s are read one after the other once they are large",
  async (_name, rows, text) => {
    const order: string[] = [];
    const names = ["a", "b"];
    const pages = await Promise.all(names.map((name) => read(rows, text, () => order.push(name))));
    expect(pages.map(({ length }) => length)).toEqual([rows, rows]);
    // Both begin; then the second waits for the end of the first.
    const switches = order.filter((name, index) => index > 0 && name !== order[index - 1]);
    expect(order.lastIndexOf("a")).toBeLessThan(order.lastIndexOf("b"));
    expect(order.slice(order.lastIndexOf("a")).length).toBeGreaterThan(rows / 50 / 2);
    expect(switches.length).toBeLessThan(order.length / 2);
  },
);

test("a page that is too large ends the wait of the next one", async () => {
  const outcomes = await Promise.allSettled([
    read(1000, "x".repeat(50_000), () => {}),
    read(200, "x".repeat(50_000), () => {}),
  ]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: expect.any(PageTooLarge) },
    { status: "fulfilled" },
  ]);
});
