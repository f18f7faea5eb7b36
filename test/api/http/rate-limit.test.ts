import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createSql } from "../../../src/db/client.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";

const ACTION = "module=block&action=eth_block_number";
const LIMIT = 3;
const KEY_LIMIT = 5;
const KEY = "key-of-a-client";
const OTHER_KEY = "key-of-another-client";
const PROXY = "10.0.0.1";

let server: TestApp;
/** Numbers the tests, so that each has addresses of its own. */
let subject = 0;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  server = await createTestApp({
    rateLimit: LIMIT,
    apiKeys: [KEY, OTHER_KEY],
    apiKeyRateLimit: KEY_LIMIT,
    trustedProxies: ["10.0.0.0/24", "fd00::1"],
  });
});
afterAll(async () => {
  vi.useRealTimers();
  await server.close();
});
beforeEach(() => {
  subject++;
  vi.advanceTimersByTime(60_000);
});

function addressOf(host: number): string {
  return `192.0.${subject}.${host}`;
}

function ask(remoteAddress: string, options: InjectOptions = {}) {
  return server.app.inject({ url: `/api?${ACTION}`, remoteAddress, ...options });
}

/** How many of the requests a client may still make, after this one. */
async function remainingOf(remoteAddress: string, options?: InjectOptions): Promise<number> {
  const { headers } = await ask(remoteAddress, options);
  return Number(headers["x-ratelimit-remaining"]);
}

async function exhaust(remoteAddress: string, options?: InjectOptions): Promise<void> {
  for (let request = 0; request < LIMIT; request++) await ask(remoteAddress, options);
}

test("a browser above its limit gets a page that comes back, a program JSON, whatever the path", async () => {
  const remoteAddress = addressOf(9);
  await exhaust(remoteAddress);
  const headers = { accept: "text/html,*/*" };
  const page = await ask(remoteAddress, { url: "/31337/blocks", headers });
  expect([page.statusCode, page.headers["retry-after"]]).toEqual([429, "60"]);
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(page.body).toContain('<meta http-equiv="refresh" content="60">');
  expect(page.body).toContain('href="./pages/theme.css"');
  for (const [url, accept] of [
    ["/blocks", "*/*"],
    [`/api?${ACTION}`, headers.accept],
  ]) {
    const answer = await ask(remoteAddress, { url: url ?? "", headers: { accept } });
    expect([answer.statusCode, answer.json().message]).toEqual([429, "Too many requests"]);
  }
});

test("requests that a page makes together count as one", async () => {
  const remoteAddress = addressOf(8);
  const path = `api?${ACTION}`;
  const { headers, body } = await ask(remoteAddress, {
    method: "POST",
    url: "/pages/answers.json",
    payload: [{ path }, { path: `v2/${path}&chainid=31337` }, { path: "health" }],
  });
  expect(headers["x-ratelimit-remaining"]).toBe("2");
  expect(JSON.parse(body).map(({ status }: { status: number }) => status)).toEqual([200, 200, 404]);
});

describe("an address", () => {
  test("is told its limit, what remains and the milliseconds until it counts anew", async () => {
    const { statusCode, headers } = await ask(addressOf(1));
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": "2",
      "x-ratelimit-reset": "60000",
      "bypass-429-option": "no_bypass",
    });
    expect(headers).not.toHaveProperty("retry-after");
    vi.advanceTimersByTime(15_000);
    expect((await ask(addressOf(1))).headers).toMatchObject({
      "x-ratelimit-remaining": "1",
      "x-ratelimit-reset": "45000",
    });
  });

  test("is refused beyond its limit, in either dialect, and served again in the next window", async () => {
    await exhaust(addressOf(1));
    vi.advanceTimersByTime(30_500);
    const blockscout = await ask(addressOf(1));
    expect(blockscout.statusCode).toBe(429);
    expect(blockscout.json()).toEqual({
      status: "0",
      message: "Too many requests",
      result: "Max rate limit reached",
    });
    expect(blockscout.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "access-control-allow-origin": "*",
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "29500",
      "retry-after": "30",
    });
    const etherscan = await ask(addressOf(1), { url: `/v2/api?${ACTION}` });
    expect(etherscan.statusCode).toBe(429);
    expect(etherscan.json()).toEqual({
      status: "0",
      message: "NOTOK",
      result: "Max rate limit reached",
    });
    vi.advanceTimersByTime(29_500);
    expect((await ask(addressOf(1))).statusCode).toBe(200);
  });

  test("does not use up what another one may ask", async () => {
    await exhaust(addressOf(1));
    expect(await remainingOf(addressOf(2))).toBe(2);
  });

  test("counts with every path and method that answers actions or JSON-RPC, failures included", async () => {
    await ask(addressOf(1), { url: "/api?module=unknown&action=unknown" });
    await ask(addressOf(1), { method: "POST", url: "/api/v1", payload: { module: "block" } });
    const { headers, statusCode } = await ask(addressOf(1), {
      method: "POST",
      url: "/api/eth-rpc",
      payload: { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] },
    });
    expect(statusCode).toBe(200);
    expect(headers["x-ratelimit-remaining"]).toBe("0");
  });

  test.each([
    `/tx/0x${"1".repeat(64)}`,
    `/search?q=${"1".repeat(64)}`,
    "/blocks",
    "/pages/network.json",
    "/v2/chainlist",
  ])("is refused %s, too", async (url) => {
    await exhaust(addressOf(1));
    const { headers, statusCode } = await ask(addressOf(1), { url });
    expect(statusCode).toBe(429);
    expect(headers).toMatchObject({ "x-ratelimit-remaining": "0" });
  });

  test.each(["/health", "/health/live", "/openapi.json", "/pages/icon.svg", "/nowhere"])(
    "asks for %s without being counted",
    async (url) => {
      await exhaust(addressOf(1));
      const { headers, statusCode } = await ask(addressOf(1), { url });
      expect(statusCode).not.toBe(429);
      expect(headers).toMatchObject({ "x-ratelimit-limit": "-1", "x-ratelimit-reset": "-1" });
    },
  );

  test("of IPv6 counts as its network of 64 bits", async () => {
    const network = `2001:db8:${subject}:1`;
    await ask(`${network}::1`);
    await ask(`${network}:ffff:ffff:ffff:ffff`);
    expect(await remainingOf(`${network}:0:0:0:1%eth0`)).toBe(0);
    expect(await remainingOf(`2001:db8:${subject}:2::1`)).toBe(2);
    expect(await remainingOf(`2001:db8::${subject}`)).toBe(2);
  });

  test("of IPv4 is the same one when it is written as IPv6", async () => {
    await ask(addressOf(1));
    expect(await remainingOf(`::ffff:${addressOf(1)}`)).toBe(1);
    expect(await remainingOf(`::ffff:${addressOf(2)}`)).toBe(2);
  });
});

describe("an API key", () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const boundary = "x";
  const part = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

  test.each<[place: string, options: InjectOptions]>([
    ["the header", { headers: { "x-api-key": KEY } }],
    ["the query", { url: `/api?${ACTION}&apikey=${KEY}` }],
    ["the query in another letter case", { url: `/api?${ACTION}&ApiKey=${KEY}` }],
    [
      "a form body",
      { method: "POST", url: "/api", headers: form, payload: `${ACTION}&apikey=${KEY}` },
    ],
    ["a JSON body", { method: "POST", payload: { apikey: KEY } }],
    [
      "a multipart body",
      {
        method: "POST",
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        payload: `${part("apikey", KEY)}--${boundary}--\r\n`,
      },
    ],
    [
      "the header of a JSON-RPC request",
      { method: "POST", url: "/api/eth-rpc", headers: { "x-api-key": KEY }, payload: {} },
    ],
  ])("in %s is counted instead of the address", async (_place, options) => {
    await exhaust(addressOf(1));
    const { headers, statusCode } = await ask(addressOf(1), options);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ "x-ratelimit-limit": "5", "x-ratelimit-remaining": "4" });
  });

  test("has one count, wherever it comes from, and is refused beyond it", async () => {
    const headers = { "x-api-key": KEY };
    for (let request = 0; request < KEY_LIMIT; request++)
      await ask(addressOf(request), { headers });
    expect((await ask(addressOf(1), { headers })).statusCode).toBe(429);
    expect(await remainingOf(addressOf(1))).toBe(2);
  });

  test("that is unknown changes nothing", async () => {
    await exhaust(addressOf(1), { headers: { "x-api-key": "unknown" } });
    const { statusCode } = await ask(addressOf(1), { url: `/api?${ACTION}&apikey=unknown` });
    expect(statusCode).toBe(429);
  });

  test("that might have been in a body does not make the body free of charge", async () => {
    const broken: InjectOptions = {
      method: "POST",
      headers: { "content-type": "application/json" },
      payload: "{",
    };
    expect((await ask(addressOf(1), broken)).statusCode).toBe(400);
    await exhaust(addressOf(1), broken);
    expect((await ask(addressOf(1), broken)).statusCode).toBe(429);
  });
});

describe("behind proxies", () => {
  const forwarded = (value: string): InjectOptions => ({ headers: { "x-forwarded-for": value } });

  test("the client is the one that the trusted proxy names", async () => {
    await exhaust(PROXY, forwarded(addressOf(1)));
    expect((await ask(PROXY, forwarded(addressOf(1)))).statusCode).toBe(429);
    expect(await remainingOf(PROXY, forwarded(addressOf(2)))).toBe(2);
  });

  test("what a client wrote into the header before its proxy did is ignored", async () => {
    await exhaust(PROXY, forwarded(`1.1.1.1, ${addressOf(1)}`));
    expect((await ask(PROXY, forwarded(`2.2.2.2, 3.3.3.3, ${addressOf(1)}`))).statusCode).toBe(429);
    expect((await ask(PROXY, forwarded(`${PROXY}, ${addressOf(1)}`))).statusCode).toBe(429);
  });

  test("a chain of trusted proxies is followed to the first address that is none of them", async () => {
    await exhaust("fd00::1", forwarded(`5.5.5.5, ${addressOf(1)}, 10.0.0.7, 10.0.0.200`));
    expect((await ask(addressOf(1))).statusCode).toBe(429);
  });

  test("a header from elsewhere is not believed", async () => {
    await exhaust(addressOf(1), forwarded("4.4.4.4"));
    expect((await ask(addressOf(1), forwarded("6.6.6.6"))).statusCode).toBe(429);
    expect(await remainingOf("4.4.4.4")).toBe(2);
  });

  test("the ports that a gateway writes behind addresses change nobody's", async () => {
    const client = addressOf(1);
    await exhaust(PROXY, forwarded(`${client}:50001`));
    expect((await ask(client)).statusCode).toBe(429);
    expect((await ask(PROXY, forwarded(`${client}:50002, 10.0.0.7:443`))).statusCode).toBe(429);
    expect(await remainingOf(PROXY, forwarded(`${addressOf(2)}:50001`))).toBe(2);
    const network = `2001:db8:${subject}:1`;
    await exhaust(PROXY, forwarded(`[${network}::1]:50001,[fd00::1]`));
    expect((await ask(`${network}::2`)).statusCode).toBe(429);
  });

  test("a header that holds no address leaves the proxy's own", async () => {
    await exhaust("10.0.0.9", forwarded("not an address"));
    expect((await ask("10.0.0.9", forwarded("<script>"))).statusCode).toBe(429);
  });
});

describe("getapilimit", () => {
  const url = "/v2/api?module=getapilimit&action=getapilimit";

  test("tells what the client has used of its window, this call included", async () => {
    await ask(addressOf(1));
    await ask(addressOf(2));
    vi.advanceTimersByTime(12_500);
    const answer = await ask(addressOf(1), { url });
    expect(answer.json()).toEqual({
      status: "1",
      message: "OK",
      result: {
        creditsUsed: 2,
        creditsAvailable: 1,
        creditLimit: 3,
        limitInterval: "minute",
        intervalExpiryTimespan: "00:00:48",
      },
    });
    const ofKey = await ask(addressOf(1), { url: `${url}&apikey=${KEY}` });
    expect(ofKey.json().result).toMatchObject({ creditLimit: KEY_LIMIT, creditsUsed: 1 });
    await ask(addressOf(1));
    expect((await ask(addressOf(1), { url })).statusCode).toBe(429);
  });

  test("tells of the key that was counted when query and body name two", async () => {
    await ask(addressOf(1), { url: `${url}&apikey=${KEY}` });
    const answer = await ask(addressOf(1), {
      url: `${url}&apikey=${KEY}`,
      method: "POST",
      payload: { apikey: OTHER_KEY },
    });
    const { creditsUsed, creditsAvailable } = answer.json().result;
    expect(creditsUsed).toBe(2);
    expect(String(creditsAvailable)).toBe(answer.headers["x-ratelimit-remaining"]);
  });

  test("asks neither chain nor database, and has no limit where there is none", async () => {
    const gone = createSql("postgres://nobody@127.0.0.1:1/nothing");
    const unlimited = await createTestApp({
      sql: gone,
      chainId: () => {
        throw new Error("not known");
      },
    });
    const answer = await unlimited.app.inject(`${url}&chainid=424242`);
    expect(answer.json().result).toEqual({
      creditsUsed: 0,
      creditsAvailable: 1_500_000,
      creditLimit: 1_500_000,
      limitInterval: "daily",
      intervalExpiryTimespan: expect.stringMatching(/^(?:[01]\d|2[0-4]):[0-5]\d:[0-5]\d$/),
    });
    await unlimited.close();
    await gone.end();
  });
});

test("without a limit nothing is counted, and the headers say so", async () => {
  const unlimited = await createTestApp({ rateLimit: 0, apiKeys: [KEY] });
  try {
    const { headers } = await unlimited.app.inject(`/api?${ACTION}&apikey=${KEY}`);
    expect(headers).toMatchObject({
      "x-ratelimit-limit": "-1",
      "x-ratelimit-remaining": "-1",
      "x-ratelimit-reset": "-1",
    });
  } finally {
    await unlimited.close();
  }
});

test("refusals are counted in the metrics", async () => {
  await exhaust(addressOf(1));
  await ask(addressOf(1));
  // The process's own counts need the real clock.
  vi.useRealTimers();
  const { body } = await server.app.inject("/metrics");
  expect(body).toMatch(
    /^periscope_http_rate_limited_total\{client="address",chain="31337"\} [1-9]/m,
  );
  expect(body).toMatch(/^periscope_http_rate_limited_total\{client="key",chain="31337"\} [1-9]/m);
});
