import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeIndexerStatus } from "../../../src/store/sync-state.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { addressAt, publish, wordAt } from "../../support/build.ts";
import { bundledVerifier } from "../../support/bundled-verifier.ts";

const PATHS = ["/docs"];
const ASSETS = [
  "/favicon.ico",
  "/pages/theme.css",
  "/pages/docs.css",
  "/pages/docs.js",
  "/pages/icon.svg",
  "/pages/swagger-ui.css",
  "/pages/swagger-ui-bundle.js",
];

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({
    verifier: bundledVerifier,
    networkName: "Harbour",
    coinSymbol: "HBR",
  });
});
afterAll(() => server.close());

describe.each([...PATHS, ...ASSETS])("%s", (url) => {
  test("may load nothing from elsewhere, and be framed by nobody", async () => {
    const { statusCode, headers } = await server.app.inject(url);
    expect(statusCode).toBe(200);
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["content-security-policy"]).toContain("script-src 'self'");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
  });

  test("is sent once, packed for those who take that", async () => {
    const plain = await server.app.inject(url);
    for (const [accepted, encoding, unpack] of [
      ["gzip, br", "br", brotliDecompressSync],
      ["gzip", "gzip", gunzipSync],
    ] as const) {
      const packed = await server.app.inject({ url, headers: { "accept-encoding": accepted } });
      expect(packed.headers["content-encoding"]).toBe(encoding);
      expect(unpack(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
    }
    const refusing = { "accept-encoding": "br;q=0, gzip;q=0" };
    const unpacked = await server.app.inject({ url, headers: refusing });
    expect(unpacked.headers).not.toHaveProperty("content-encoding");
    const etag = String(plain.headers.etag);
    expect(etag).toMatch(/^W\//);
    const again = await server.app.inject({
      url,
      headers: { "if-none-match": `"other", ${etag}` },
    });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe("");
  });
});

test.each([
  ["/docs/", "/docs"],
  ["/docs//?x", "/docs"],
  ["/31337/docs/", "/31337/docs"],
])("%s leads to the reference, whose links are relative", async (url, expected) => {
  const { statusCode, headers } = await server.app.inject(url);
  expect(statusCode).toBe(302);
  const base = `http://localhost${url}`;
  expect(new URL(String(headers.location), base).pathname).toBe(expected);
});

test.each(PATHS)("%s names no other server", async (url) => {
  const { body } = await server.app.inject(url);
  const links = [...body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link);
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) expect(link).not.toMatch(/^(?:[a-z]+:|\/)/);
});

test.each(["/a/", "/tx/1/", "/docs/", "/search/"])(
  "a path of very many parts is answered shortly: %s",
  async (start) => {
    const url = start + (start.startsWith("/a") ? "a/" : "/").repeat(50_000);
    const html = { accept: "text/html" };
    const { statusCode, headers, body } = await server.app.inject({ url, headers: html });
    expect(statusCode).toBe(404);
    expect(JSON.stringify(headers).length + body.length).toBeLessThan(2000);
  },
);

test("an answer that depends on what a client accepts says so", async () => {
  const headers = { accept: "text/html", "accept-encoding": "gzip" };
  const answer = await server.app.inject({ url: "/nothing", headers });
  expect(answer.headers).toMatchObject({
    vary: "accept, accept-encoding",
    "content-encoding": "gzip",
  });
});

test("other files are not served", async () => {
  for (const url of [
    "/pages/pages.ts",
    "/pages/../server.ts",
    "/pages/%2e%2e/http.ts",
    "/pages/",
  ]) {
    expect((await server.app.inject(url)).statusCode).toBe(404);
  }
});

test("the chain is described before its first block, and then with its own transactions", async () => {
  const before = await server.app.inject("/pages/network.json");
  expect(before.json()).toMatchObject({ name: "Harbour", chainId: null });
  await publish(server.sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    transactions: [{ blockNumber: 1, hash: wordAt(9), fromAddress: addressAt(5) }],
    addresses: [{ address: addressAt(5), balance: "1", balanceBlock: 1 }],
    tokens: [{ address: addressAt(7), holderCount: 1 }],
  });
  await writeIndexerStatus(server.sql, {
    phase: "following",
    nodeHead: 1,
    traces: { tracer: null, reason: "the node offers no traces" },
  });
  const { chainId, subjects, features, examples } = (
    await server.app.inject("/pages/network.json")
  ).json();
  expect(chainId).toBeGreaterThan(0);
  expect(subjects).toEqual({
    transaction: wordAt(9),
    account: addressAt(5),
    token: addressAt(7),
  });
  expect(features).toContainEqual({
    name: "Price of HBR",
    on: false,
    detail: "PRICE_FEED_USD names no aggregator contract",
  });
  expect(features[1]).toEqual({
    name: "Contract verification",
    on: true,
    detail: "Compilers: 1 of Solidity up to v0.8.37, 0 of Vyper",
  });
  for (const { path, body } of examples) {
    const answer = await server.app.inject({
      url: path,
      ...(body && {
        method: "POST",
        payload: body,
        headers: { "content-type": "application/json" },
      }),
    });
    expect([path, answer.statusCode]).toEqual([path, 200]);
  }
});
