import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Address } from "../../../src/core/evm/address.ts";
import type { Verifier } from "../../../src/verification/verifier.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { deployProgram, note, startWorld, type World } from "../world.ts";

const KEYS = ["key-of-a-builder", "key-of-another"];
const PROXY = "10.0.0.1";

let world: World;
let verifier: Verifier;
/** Without and with a proxy that may name the client. */
let server: TestApp;
let behindProxy: TestApp;
let address: Address;

beforeAll(async () => {
  world = await startWorld();
  address = await deployProgram(world.node, note("wanted"));
  const head = await world.node.request<{ hash: string }>("eth_getBlockByNumber", "latest", false);
  await world.indexer.reach(head.hash);
  verifier = world.startVerifier({ concurrency: 0 });
  const options = { sql: world.sql, chain: world.chain, verifier, apiKeys: KEYS };
  server = await createTestApp(options);
  behindProxy = await createTestApp({ ...options, trustedProxies: ["10.0.0.0/24"] });
});
beforeEach(() => world.sql`DELETE FROM verification_jobs`);
afterAll(async () => {
  await server.close();
  await behindProxy.close();
  await verifier.close();
  await world.stop();
});

async function submit(options: InjectOptions & { fields?: Record<string, string> } = {}) {
  const { fields, ...others } = options;
  const { app } = others.remoteAddress === PROXY ? behindProxy : server;
  const response = await app.inject({
    method: "POST",
    url: "/api?module=contract&action=verifysourcecode",
    headers: { "content-type": "application/x-www-form-urlencoded", ...others.headers },
    payload: new URLSearchParams({
      codeformat: "solidity-single-file",
      contractaddress: address,
      sourceCode: "contract Junk {}",
      contractname: "Junk",
      compilerversion: "v0.8.37+commit.f401782d",
      optimizationUsed: "0",
      ...fields,
    }).toString(),
    ...(others.remoteAddress && { remoteAddress: others.remoteAddress }),
  });
  return response.statusCode;
}

/** Submits as often as one client may, and once more. */
async function exhaust(each: (index: number) => Parameters<typeof submit>[0]): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < 11; index++) statuses.push(await submit(each(index)));
  return statuses;
}

const LIMITED = [...Array(10).fill(200), 429];
const UNLIMITED = Array(11).fill(200);

test("an address is one client, also where no requests are counted", async () => {
  expect(await exhaust(() => ({ remoteAddress: "203.0.113.5" }))).toEqual(LIMITED);
  expect(await submit({ remoteAddress: "203.0.113.6" })).toBe(200);
});

test("many addresses of one IPv6 network of 64 bits are one client", async () => {
  const spellings = (index: number) =>
    index % 2 === 0 ? `2001:db8:1:2::${index}` : `2001:0db8:0001:0002:ffff::${index}`;
  expect(await exhaust((index) => ({ remoteAddress: spellings(index) }))).toEqual(LIMITED);
  expect(await submit({ remoteAddress: "2001:db8:1:3::1" })).toBe(200);
});

test("headers that a client makes up do not make it another one", async () => {
  const headers = (index: number) => ({
    "x-forwarded-for": `198.51.100.${index}`,
    forwarded: `for=198.51.100.${index}`,
    "x-real-ip": `198.51.100.${index}`,
    "x-api-key": `guess-${index}`,
  });
  expect(
    await exhaust((index) => ({ remoteAddress: "203.0.113.7", headers: headers(index) })),
  ).toEqual(LIMITED);
});

test("behind a proxy the address counts that the proxy saw, not what the client wrote before it", async () => {
  const forwarded = (index: number) => ({ "x-forwarded-for": `198.51.100.${index}, 203.0.113.8` });
  expect(await exhaust((index) => ({ remoteAddress: PROXY, headers: forwarded(index) }))).toEqual(
    LIMITED,
  );
  expect(
    await exhaust((index) => ({
      remoteAddress: PROXY,
      headers: { "x-forwarded-for": `203.0.113.${100 + index}` },
    })),
  ).toEqual(UNLIMITED);
});

test("a known key is a client of its own wherever it stands, an unknown one is none", async () => {
  const remoteAddress = "203.0.113.9";
  const [key = "", other = ""] = KEYS;
  const places = [{ headers: { "x-api-key": key } }, { fields: { apikey: key } }];
  expect(
    await exhaust((index) => ({ remoteAddress: `203.0.113.${20 + index}`, ...places[index % 2] })),
  ).toEqual(LIMITED);
  expect(await submit({ remoteAddress, fields: { apikey: other } })).toBe(200);
  expect(
    await exhaust((index) => ({ remoteAddress, fields: { apikey: `made-up-${index}` } })),
  ).toEqual(LIMITED);
});

test("no address and no key is written down", async () => {
  await submit({ remoteAddress: "203.0.113.10", fields: { apikey: KEYS[0] ?? "" } });
  await submit({ remoteAddress: "203.0.113.11" });
  const rows = await world.sql`SELECT * FROM verification_jobs`;
  const text = JSON.stringify(rows);
  expect(rows).toHaveLength(2);
  expect(text).not.toContain("203.0.113");
  expect(text).not.toContain(KEYS[0]);
});
