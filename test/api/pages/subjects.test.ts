import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { init, parse } from "es-module-lexer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import {
  addressAt,
  blockHash,
  blockTime,
  publish,
  setSyncState,
  transactionHash,
} from "../../support/build.ts";
import { save } from "../../support/verified-contract.ts";

const HEAD = 9;
const TOKEN = addressAt(0x20);
const EVIL = addressAt(0x21);
const CONTRACT = addressAt(0x22);
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const EVIL_NAME = `"><script>alert(1)</script>\u202e\u0000${"x".repeat(65_536)}`.replace(
  "\u0000",
  "\u0001",
);

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ networkName: "Harbour & <b>Sons</b>", coinSymbol: "HBR" });
  await publish(server.sql, {
    blocks: Array.from({ length: HEAD + 2 }, (_, number) => ({ number })),
    transactions: [
      { blockNumber: 2, value: 1_500_000_000_000_000_000n },
      { blockNumber: 3, status: 0, toAddress: null },
      { blockNumber: HEAD + 1 },
    ],
    tokens: [
      { address: TOKEN, name: "Gold", symbol: "AU" },
      { address: EVIL, name: EVIL_NAME, symbol: EVIL_NAME },
    ],
    syncState: { headNumber: HEAD, headTimestamp: blockTime(HEAD) },
  });
  await save(server.sql, { address: CONTRACT, contractName: "Ledger" });
});
afterAll(() => server.close());

async function page(url: string, headers: Record<string, string> = BROWSER) {
  const { statusCode, headers: answered, body } = await server.app.inject({ url, headers });
  const meta = (name: string) =>
    new RegExp(`(?:name|property)="${name}" content="([^"]*)"`).exec(body)?.[1];
  return {
    statusCode,
    headers: answered,
    body,
    title: /<title>([^<]*)<\/title>/.exec(body)?.[1],
    description: meta("description"),
    preview: meta("og:title"),
    withoutScripts: /<noscript>(.*)<\/noscript>/.exec(body)?.[1],
  };
}

describe("previews of links", () => {
  test.each([
    [
      `/tx/${transactionHash(2)}`,
      `Transaction ${transactionHash(2)}`,
      /^Succeeded in block 2\. 0x\w+…\w+ sent 1\.5 HBR to 0x\w+…\w+\.$/,
    ],
    [
      `/tx/${transactionHash(3)}`,
      "Transaction",
      /^Failed in block 3\. 0x\w+…\w+ tried to deploy a contract\.$/,
    ],
    ["/block/7", "Block 7", /^0 transactions, 0 gas used, 2025-/],
    [`/block/${blockHash(7)}`, "Block 7", /./],
    ["/block/latest", `Block ${HEAD}`, /./],
    [`/token/${TOKEN}`, "Gold (AU)", /^ERC-20 token at 0x/],
    [`/address/${CONTRACT}`, "Ledger", /^Verified contract/],
    [`/address/${addressAt(0x77)}`, "Address 0x", /as this server indexed it/],
    ["/", "Explorer", /./],
    ["/blocks", "Blocks", /./],
    ["/txs", "Transactions", /./],
    ["/contracts", "Contracts", /./],
    ["/search?q=GOL", "Search", /./],
    ["/search?q=ledger", "Search", /./],
  ])("%s says what it is", async (url, title, description) => {
    for (const headers of [BROWSER, { accept: "*/*" }]) {
      const answer = await page(url, headers);
      expect(answer.statusCode).toBe(200);
      expect(answer.title).toContain(title);
      expect(answer.title).toContain("Harbour &amp; &lt;b&gt;Sons&lt;/b&gt;");
      expect(answer.preview).toBe(answer.title);
      expect(answer.description).toMatch(description);
      expect(answer.withoutScripts).toContain(answer.description);
    }
  });

  test("hostile names stay text, in one line, and short", async () => {
    const { body, title = "" } = await page(`/token/${EVIL}`);
    expect(body).not.toContain("<script>alert");
    expect(title).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(title.length).toBeLessThan(400);
    expect(body.length).toBeLessThan(8_000);
  });
});

describe("what there is not", () => {
  const UNKNOWN = [
    `/tx/${transactionHash(77)}`,
    `/tx/${transactionHash(HEAD + 1)}`,
    "/tx/0x12",
    "/block/77",
    `/block/${HEAD + 1}`,
    "/block/0x12",
    "/address/0x12",
    "/address/%3Cscript%3E",
    `/token/${addressAt(0x77)}`,
    "/search?q=nothing",
    "/search?q=a%00b",
    "/search?q=%25",
    "/no/such/page",
    "/tx",
  ];
  test.each(UNKNOWN)("%s is a page for browsers, and an error for programs", async (url) => {
    const shown = await page(url);
    expect([shown.statusCode, shown.headers["content-type"]]).toEqual([
      404,
      "text/html; charset=utf-8",
    ]);
    expect(shown.body).not.toContain("<script>");
    const refused = await server.app.inject({ url, headers: { accept: "*/*" } });
    expect([refused.statusCode, refused.json()]).toEqual([
      404,
      { status: "0", message: "Not found", result: null },
    ]);
  });

  test.each([
    "/api/v2/blocks",
    "/api/no/action",
    "/v2/api/no/action",
    "/sourcify/nothing",
    "/1/api/x",
  ])("below the API's paths an error is JSON for everybody: %s", async (url) => {
    const { statusCode, headers } = await server.app.inject({ url, headers: BROWSER });
    expect(statusCode).toBe(404);
    expect(headers["content-type"]).toContain("application/json");
  });
});

describe("links", () => {
  const tx = transactionHash(2);
  test.each([
    [`/tx/${tx}/logs`, `../../tx/${tx}#logs`],
    [`/tx/${tx}/internal-transactions`, `../../tx/${tx}#internal`],
    [`/tx/${tx}/token-transfers?x=1`, `../../tx/${tx}?x=1#transfers`],
    [`/address/${TOKEN}/transactions`, `../../address/${TOKEN}#transactions`],
    [`/address/${TOKEN}/contracts`, `../../address/${TOKEN}#code`],
    [`/31337/tx/${tx}/a%2Fb`, `../../tx/${tx}`],
    [`/tx/${tx}/logs%2F%2F`, `../../tx/${tx}#logs`],
    [`//tx//${tx}//logs`, `../../../../tx/${tx}#logs`],
    [`/address/${TOKEN}/tokens/erc-721`, `../../../address/${TOKEN}#tokens`],
    [`/token/${TOKEN}/instance/5/token-transfers`, `../../../../token/${TOKEN}?a=5#transfers`],
    [`/tokens/${TOKEN}?a=${TOKEN}`, `../token/${TOKEN}?a=${TOKEN}`],
    [`/tokens/${TOKEN}/token-holders`, `../../token/${TOKEN}#holders`],
    [`/token/${TOKEN}/token-transfers?a=5`, `../../token/${TOKEN}?a=5#transfers`],
    [`/nft/${TOKEN}/5`, `../../token/${TOKEN}?a=5`],
    [`/contract/${TOKEN}/contract_code`, `../../address/${TOKEN}#code`],
    [`/blocks/7/1`, `../../block/7`],
    [`/token/${TOKEN}/token-holders`, `../../token/${TOKEN}#holders`],
    [`/block/7/transactions`, "../../block/7#transactions"],
    ["/blocks/7", "../block/7"],
    [`/nft/${TOKEN}`, `../token/${TOKEN}`],
    ["/verified-contracts", "./contracts"],
    [`/search-results?q=${tx}`, `./search?q=${tx}`],
    [`/search?q=${tx}`, `./tx/${tx}`],
    [`/search?q=${tx.slice(2)}`, `./tx/${tx}`],
    [`/search?q=${blockHash(7)}`, `./block/${blockHash(7)}`],
    [`/search?q=${transactionHash(77)}`, `./tx/${transactionHash(77)}`],
    [`/search?q=0X${TOKEN.slice(2).toUpperCase()}`, `./address/${TOKEN}`],
    [`/search?q=%20${TOKEN}%20`, `./address/${TOKEN}`],
    ["/search?q=1,234", "./block/1234"],
    ["/search?q=0x15", "./block/21"],
    ["/search?q=latest", "./block/latest"],
  ])("%s of other explorers, and of the search, leads on", async (url, location) => {
    const { statusCode, headers } = await server.app.inject(url);
    expect(statusCode).toBe(302);
    const resolve = (path: string) => new URL(path, `http://localhost${url}`).href;
    expect(resolve(String(headers.location))).toBe(resolve(location));
  });

  test.each([
    ["/", "./"],
    ["//", "./"],
    [`/tx/${tx}`, "../"],
    [`/tx/${tx}/`, "../../"],
    [`//tx//${tx}`, "../../../"],
    ["/blocks?page=2", "./"],
    ["/no/such/page", "../../"],
  ])("a page at %s finds the root of its chain", async (url, expected) => {
    const { body } = await page(url);
    const base = /data-base="([^"]*)"/.exec(body)?.[1] ?? "";
    const root = (path: string) => new URL(path, new URL(url, "http://localhost")).pathname;
    if (url.startsWith("//")) return expect(base).toMatch(/^(?:\.\.\/)*(?:\.\/)?$/);
    return expect(root(base)).toBe(root(expected));
  });
});

describe("files", () => {
  test("are named by their content, sent compressed, and kept for ever", async () => {
    const { body } = await page("/");
    const urls = [...body.matchAll(/(?:href|src)="\.\/(pages\/[^"]+)"/g)].map(
      ([, url]) => `/${url}`,
    );
    expect(urls).toHaveLength(3);
    for (const url of new Set(urls)) {
      const plain = await server.app.inject(url);
      expect([url, plain.statusCode]).toEqual([url, 200]);
      expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(plain.headers["content-security-policy"]).not.toContain("unsafe");
      const brotli = await server.app.inject({ url, headers: { "accept-encoding": "gzip, br" } });
      expect(brotliDecompressSync(brotli.rawPayload).equals(plain.rawPayload)).toBe(true);
      const gzip = await server.app.inject({ url, headers: { "accept-encoding": "gzip" } });
      expect(gunzipSync(gzip.rawPayload).equals(plain.rawPayload)).toBe(true);
    }
  });

  test("of another version are what there is now, and not kept", async () => {
    const { statusCode, headers } = await server.app.inject("/pages/another/home.js");
    expect([statusCode, headers["cache-control"]]).toEqual([200, "no-cache"]);
    for (const url of ["/pages/another/assets.ts", "/pages/another/..%2fpages.ts"]) {
      expect((await server.app.inject(url)).statusCode).toBe(404);
    }
  });

  test("of one page are a sheet and a script that imports nothing", async () => {
    const { body } = await page("/address/0x0000000000000000000000000000000000000001");
    const [script, ...others] = [...body.matchAll(/src="\.\.\/([^"]+\.js)"/g)];
    expect(others).toEqual([]);
    expect(body.match(/rel="stylesheet"/g)).toHaveLength(1);
    const { body: text } = await server.app.inject(`/${script?.[1]}`);
    await init;
    const [imports, exports] = parse(text);
    expect([imports, exports]).toEqual([[], []]);
  });
});

test("while the index cannot be asked, a page is there to say so", async () => {
  await setSyncState(server.sql, { indexed: false });
  const { statusCode, title } = await page(`/tx/${transactionHash(77)}`);
  expect([statusCode, title]).toEqual([200, expect.stringContaining("Transaction 0x")]);
  await setSyncState(server.sql, { indexed: true });
});
