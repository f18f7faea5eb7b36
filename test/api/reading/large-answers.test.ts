import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLargeAnswers } from "../../../src/api/reading/bounds.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, publish } from "../../support/build.ts";
import { longestStall } from "../../support/stalls.ts";
import { save } from "../../support/verified-contract.ts";

// Rows of an attacker who wants to delay other answers, including ones that are refused today.

const VICTIM = addressAt(0xa);
const TOKEN = addressAt(0xc);
const WALL = addressAt(0xd);
const BEYOND = addressAt(0xe);
const SELECTOR = "2ddbd13a";
const BLOCKS = 30;
const PER_BLOCK = 40;
const STALL_MS = 200;

const run = promisify(execFile);
let server: TestApp;
let url: string;

beforeAll(async () => {
  server = await createTestApp({ requestTimeoutMs: 60_000 });
  const { sql } = server;
  const numbers = Array.from({ length: BLOCKS }, (_, index) => index + 1);
  const places = Array.from({ length: PER_BLOCK }, (_, index) => index);
  const everywhere = <Row>(row: (blockNumber: number, place: number) => Row) =>
    numbers.flatMap((number) => places.map((place) => row(number, place)));
  await publish(sql, {
    blocks: [0, ...numbers].map((number) => ({ number })),
    transactions: everywhere((blockNumber, transactionIndex) => ({
      blockNumber,
      transactionIndex,
      fromAddress: VICTIM,
      toAddress: TOKEN,
      input: `0x${SELECTOR}`,
    })),
    logs: everywhere((blockNumber, logIndex) => ({ blockNumber, logIndex, address: TOKEN })),
    tokenTransfers: everywhere((blockNumber, logIndex) => ({
      blockNumber,
      logIndex,
      transactionIndex: logIndex,
      token: TOKEN,
      toAddress: VICTIM,
    })),
  });
  const name = `f(uint256 ${"x".repeat(2_500_000)})`;
  await save(sql, { address: TOKEN, methods: { [SELECTOR]: name } });
  await save(
    sql,
    {
      address: WALL,
      abi: JSON.stringify([{ type: "function", name: "y".repeat(5_000_000), inputs: [] }]),
    },
    wall(14),
  );
  await save(sql, { address: BEYOND }, wall(26));
  url = await server.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => server.close());

/** So many megabytes of source text with much to escape. */
function wall(megabytes: number) {
  return Array.from({ length: megabytes }, (_, index) => ({
    path: index === 0 ? "src/Ledger.sol" : `src/${index}.sol`,
    text: `// ${index} of ${megabytes}\n${'a "quoted" line\n'.repeat(62_500)}`,
  }));
}

interface Answered {
  /** Its place among the answers as they came. */
  order: number;
  status: number;
  length: number;
  start: string;
}

/**
 * Asks from another process, so that only the server's own work is measured, each query on a connection of its own; the
 * last one is a newcomer's.
 */
async function ask(queries: readonly string[], newcomer?: string) {
  const program = `
    const http = require("node:http");
    let answered = 0;
    const ask = (path, localAddress) => new Promise((resolve, reject) => {
      http.get(${JSON.stringify(url)} + path, { agent: false, localAddress }, async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        const { statusCode: status } = response;
        resolve({ order: answered++, status, length: text.length, start: text.slice(0, 200) });
      }).on("error", reject);
    });
    const asked = ${JSON.stringify(queries)}.map((path) => ask(path, "127.0.0.1"));
    const newcomer = ${JSON.stringify(newcomer ?? null)};
    if (newcomer !== null) asked.push(ask(newcomer, "127.0.0.2"));
    Promise.all(asked).then((answers) => console.log(JSON.stringify(answers)));`;
  const { result, stallMs } = await longestStall(() => run(process.execPath, ["-e", program]));
  return { answers: JSON.parse(result.stdout) as Answered[], stallMs };
}

const OF_VICTIM = `address=${VICTIM}&offset=1000`;
const SOURCE = `/api?module=contract&action=getsourcecode&address=${WALL}`;

describe.each([
  ["txlist", [`/v2/api?module=account&action=txlist&${OF_VICTIM}`], 2_000_000],
  ["tokentx", [`/v2/api?module=account&action=tokentx&${OF_VICTIM}`], 2_500_000],
  ["getsourcecode", [SOURCE], 24_000_000],
  ["getsourcecode in the other dialect", [`/v2${SOURCE}`], 31_000_000],
  ["ten times getsourcecode at once", Array(10).fill(SOURCE), 24_000_000],
  ["getabi", [`/api?module=contract&action=getabi&address=${WALL}`], 6_000_000],
  ["listcontracts", ["/api?module=contract&action=listcontracts&filter=verified"], 6_000_000],
])("%s over hostile rows", (_name, queries, longest) => {
  test(`is answered, in bounds, and keeps nobody else waiting for ${STALL_MS} ms`, async () => {
    const { answers, stallMs } = await ask(queries);
    for (const { status, length, start } of answers) {
      expect({ status, start }).toEqual({
        status: 200,
        start: expect.stringMatching(/^\{"status":"1"/),
      });
      expect(length).toBeLessThan(longest);
    }
    expect(stallMs).toBeLessThan(STALL_MS);
  });
});

test("what is larger than any answer may be is refused with words, before it is read", async () => {
  const refused = {
    status: 200,
    start: expect.stringMatching(/^\{"status":"0","message":"The answer is too large/),
  };
  const { answers, stallMs } = await ask([
    `/api?module=contract&action=getsourcecode&address=${BEYOND}`,
  ]);
  expect(answers).toMatchObject([refused]);
  expect(stallMs).toBeLessThan(50);
});

test("a lookup of Sourcify's is bounded by what all its fields hold together", async () => {
  const lookup = (address: string, fields: string) =>
    `/sourcify/v2/contract/31337/${address}?fields=${fields}`;
  const { answers, stallMs } = await ask([
    lookup(WALL, "sources"),
    lookup(WALL, "abi"),
    // Hashing a name of five megabytes would take too long.
    lookup(WALL, "signatures"),
    // The sources twice.
    lookup(WALL, "all"),
    lookup(BEYOND, "sources"),
    lookup(BEYOND, "compilation"),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 503, 503, 503, 200]);
  expect(answers[2]?.start).toContain("internal_error");
  expect(stallMs).toBeLessThan(STALL_MS);
});

test("a name of a called function is cut, whoever wrote a book into it", async () => {
  const response = await server.app.inject(
    `/v2/api?module=account&action=txlist&${OF_VICTIM}&page=1`,
  );
  const [first] = response.json().result;
  expect(first.functionName).toHaveLength(1000);
  expect(first.functionName).toMatch(/^f\(uint256 x+$/);
});

describe("pages of large data", () => {
  const DATA = `0x${"ab".repeat(9_500)}` as const;
  const pages: [string, string][] = [
    ["txlist", `/api?module=account&action=txlist&${OF_VICTIM}`],
    ["tokentx", `/api?module=account&action=tokentx&${OF_VICTIM}`],
    ["getLogs", `/api?module=logs&action=getLogs&fromBlock=0&toBlock=latest&address=${TOKEN}`],
  ];
  beforeAll(async () => {
    await server.sql`UPDATE transactions SET input = ${DATA}`;
    await server.sql`UPDATE logs SET data = ${DATA}`;
  });

  test.each(pages)("%s below the bound keeps nobody waiting", async (_name, query) => {
    const { answers, stallMs } = await ask([query]);
    expect(answers[0]?.length).toBeGreaterThan(19_000_000);
    expect(stallMs).toBeLessThan(STALL_MS);
  });

  test.each(pages)("twelve times %s at once keeps no newcomer waiting", async (_name, query) => {
    const newcomer = "/api?module=block&action=eth_block_number";
    const { answers, stallMs } = await ask(Array(12).fill(query), newcomer);
    const pages = answers.slice(0, -1);
    expect(pages.map(({ length }) => length > 19_000_000)).toEqual(Array(12).fill(true));
    expect(answers.at(-1)?.order).toBeLessThan(4);
    expect(stallMs).toBeLessThan(STALL_MS);
  });

  test("a batch of requests has the bound of one", async () => {
    const params = [{ fromBlock: "0x0", toBlock: "latest", address: TOKEN }];
    const entry = { jsonrpc: "2.0", method: "eth_getLogs", params };
    const batch = async () =>
      server.app.inject({
        method: "POST",
        url: "/api/eth-rpc",
        payload: [1, 2, 3].map((id) => ({ ...entry, id })),
      });
    const { result, stallMs } = await longestStall(batch);
    const answers = result.json();
    expect(answers[0].result).toHaveLength(1000);
    const tooLarge = "The answer is too large, please narrow the range or use smaller pages";
    expect(answers.slice(1)).toEqual(
      [2, 3].map((id) => ({ jsonrpc: "2.0", error: expect.stringContaining(tooLarge), id })),
    );
    expect(stallMs).toBeLessThan(STALL_MS);
  });
});

test("of large answers one is made at a time, and only so many wait", async () => {
  const { make } = createLargeAnswers(server.sql);
  let making = 0;
  let most = 0;
  const answers = Array.from({ length: 150 }, () =>
    make(1_000_000, async () => {
      most = Math.max(most, ++making);
      await Promise.resolve();
      making--;
    }),
  );
  const outcomes = await Promise.allSettled(answers);
  expect(most).toBe(1);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(100);
  await expect(make(1_000_000, async () => "served again")).resolves.toBe("served again");
  await expect(
    make(1_000_000, async () => {
      throw new Error("fails");
    }),
  ).rejects.toThrow("fails");
  await expect(make(1_000_000, async () => "goes on")).resolves.toBe("goes on");
});
