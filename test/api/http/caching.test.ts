import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { registry } from "../../../src/api/explorer/registry.ts";
import { timeStatements } from "../../../src/db/statements.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, publish, setSyncState, transactionHash } from "../../support/build.ts";

const PARTY = addressAt(1);
const TOKEN = addressAt(7);
const TXLIST = `/api?module=account&action=txlist&address=${PARTY}`;
const TOKENTX = `/api?module=account&action=tokentx&address=${PARTY}`;

let server: TestApp;
let plain: TestApp;
let statements = 0;
beforeAll(async () => {
  plain = await createTestApp();
  const sql = timeStatements(plain.sql, () => {
    statements++;
    return () => {};
  });
  server = await createTestApp({ sql });
  await addBlock(0);
  await publish(plain.sql, { tokens: [{ address: TOKEN, name: null }] });
});
afterAll(async () => {
  await server.close();
  await plain.close();
});
beforeEach(() => {
  statements = 0;
});

async function addBlock(number: number): Promise<void> {
  await publish(plain.sql, {
    blocks: [{ number }],
    transactions: [{ blockNumber: number, fromAddress: PARTY }],
    tokenTransfers: [{ blockNumber: number, logIndex: 0, token: TOKEN, fromAddress: PARTY }],
  });
}

async function get(url: string, headers: Record<string, string> = {}) {
  return server.app.inject({ url, headers });
}

/** Asks again as a client does that has the answer. */
async function poll(url: string): Promise<{ status: number; tag: string }> {
  const tag = String((await get(url)).headers["etag"]);
  statements = 0;
  const again = await get(url, { "if-none-match": tag });
  if (again.statusCode === 304) {
    expect(again.body).toBe("");
    expect(again.headers).toMatchObject({ etag: tag, "cache-control": "no-cache" });
    expect(again.headers["x-periscope-block"]).toMatch(/^\d+;0x/);
  }
  return { status: again.statusCode, tag };
}

describe("a poll without news", () => {
  const actions = Object.entries(registry).flatMap(([module, list]) =>
    list
      .filter(({ changesWithHead = false }) => changesWithHead !== false)
      .map(({ name, dialect, example }) => ({
        name,
        path: dialect === "etherscan" ? "/v2/api" : "/api",
        query: { module, action: name, ...example },
      })),
  );

  test.each(actions)("of $name costs one look at the head", async ({ path, query }) => {
    expect(await poll(`${path}?${new URLSearchParams(query)}`)).toMatchObject({ status: 304 });
    expect(statements).toBe(1);
  });

  test("is the only thing that looks at the head first", async () => {
    await get(TXLIST);
    const plainly = statements;
    statements = 0;
    await get(TXLIST, { "if-none-match": "" });
    expect(statements).toBe(plainly);
    statements = 0;
    await get(TXLIST, { "if-none-match": '"other"' });
    expect(statements).toBe(plainly + 1);
  });

  test("of anything else costs no transfer", async () => {
    expect(await poll(TOKENTX)).toMatchObject({ status: 304 });
    expect(await poll(TXLIST.replace("/api", "/v2/api"))).toMatchObject({ status: 304 });
    // A source verified meanwhile does not change the head.
    expect(await poll("/api?module=account&action=txlistinternal&names=true")).toMatchObject({
      status: 304,
    });
    expect(statements).toBeGreaterThan(1);
  });

  test("HEAD is told, too", async () => {
    const { tag } = await poll(TXLIST);
    const response = await server.app.inject({
      method: "HEAD",
      url: TXLIST,
      headers: { "if-none-match": `"other", ${tag}` },
    });
    expect(response.statusCode).toBe(304);
  });

  test("a star stands for every tag (RFC 9110, 13.1.2)", async () => {
    expect(await get(TXLIST, { "if-none-match": "*" })).toMatchObject({
      statusCode: 304,
      body: "",
    });
    expect((await get("/api?module=x&action=y", { "if-none-match": "*" })).statusCode).toBe(400);
    expect((await get("/docs", { "if-none-match": "*" })).statusCode).toBe(304);
  });
});

describe("news are never kept back", () => {
  test("of a new block, and of a reorganisation that ends at the same number", async () => {
    const { tag } = await poll(TXLIST);
    await addBlock(1);
    const news = await get(TXLIST, { "if-none-match": tag });
    expect(news.statusCode).toBe(200);
    await setSyncState(plain.sql, { generation: 7 });
    const newer = await get(TXLIST, { "if-none-match": String(news.headers["etag"]) });
    expect(newer.statusCode).toBe(200);
  });

  test("of the same chain indexed anew", async () => {
    const { tag } = await poll(TXLIST);
    await plain.sql`UPDATE sync_state SET index_id = gen_random_uuid()`;
    expect((await get(TXLIST, { "if-none-match": tag })).statusCode).toBe(200);
  });

  test("of another program: its version or its commit", async () => {
    const { tag } = await poll(TXLIST);
    for (const other of [{ version: "0.0.1" }, { commit: "c1".repeat(20) }]) {
      const upgraded = await createTestApp({ sql: plain.sql, ...other });
      const news = await upgraded.app.inject({ url: TXLIST, headers: { "if-none-match": tag } });
      expect(news.statusCode).toBe(200);
      await upgraded.close();
    }
  });

  test("of what is read of the node later, at the same head", async () => {
    const { tag } = await poll(TOKENTX);
    await plain.sql`UPDATE tokens SET name = 'Later'`;
    const news = await get(TOKENTX, { "if-none-match": tag });
    expect(news.statusCode).toBe(200);
    expect(news.json().result[0].tokenName).toBe("Later");
  });

  test("of another request", async () => {
    const { tag } = await poll(TOKENTX);
    expect((await get(TXLIST, { "if-none-match": tag })).statusCode).toBe(200);
  });
});

test("what is no answer to a read is not kept, and nothing is guessed of its type", async () => {
  const posted = await server.app.inject({ method: "POST", url: TXLIST });
  const refused = await get("/api?module=account");
  const health = await get("/health/live");
  for (const { headers } of [posted, refused, health]) {
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(headers).not.toHaveProperty("etag");
  }
});

describe("compression", () => {
  const LONG = "/api?module=stats&action=dailytx&startdate=2020-01-01&enddate=2099-12-31";
  beforeAll(async () => {
    const dailyStatistics = Array.from({ length: 28 }, (_, day) => ({
      day: `2024-02-${String(day + 1).padStart(2, "0")}`,
    }));
    await publish(plain.sql, { dailyStatistics });
  });

  test.each([
    ["gzip, deflate, br, zstd", "zstd", zstdDecompressSync],
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["gzip", "gzip", gunzipSync],
    ["zstd;q=0, br;q=0.0, *", "gzip", gunzipSync],
  ])("to %s is %s", async (accepted, encoding, unpack) => {
    const wanted = (await get(LONG)).body;
    const response = await get(LONG, { "accept-encoding": accepted });
    expect(response.headers).toMatchObject({
      "content-encoding": encoding,
      vary: "accept-encoding",
      "content-length": String(response.rawPayload.length),
    });
    expect(unpack(response.rawPayload).toString()).toBe(wanted);
    expect(response.rawPayload.length).toBeLessThan(wanted.length / 3);
  });

  test("is left out where nobody asked for it, and for short answers", async () => {
    expect((await get(LONG)).headers).not.toHaveProperty("content-encoding");
    expect((await get(LONG, { "accept-encoding": "identity" })).headers).not.toHaveProperty(
      "content-encoding",
    );
    const short = await get("/api?module=block&action=eth_block_number", {
      "accept-encoding": "gzip",
    });
    expect(short.headers).not.toHaveProperty("content-encoding");
  });

  test("a tag that a proxy made a strong one is known", async () => {
    const tag = String((await get(LONG)).headers["etag"]).replace("W/", "");
    expect((await get(LONG, { "if-none-match": tag })).statusCode).toBe(304);
  });

  test("the tag is the same in every encoding", async () => {
    const tag = (await get(LONG, { "accept-encoding": "br" })).headers["etag"];
    const again = await get(LONG, { "if-none-match": String(tag), "accept-encoding": "gzip" });
    expect(again.statusCode).toBe(304);
  });
});

test("the hash of a transaction that is not there yet is asked for until it is", async () => {
  const url = `/api?module=transaction&action=gettxreceiptstatus&txhash=${transactionHash(2)}`;
  const { status, tag } = await poll(url);
  expect(status).toBe(304);
  await addBlock(2);
  const news = await get(url, { "if-none-match": tag });
  expect(news.json().result).toEqual({ status: "1" });
});
