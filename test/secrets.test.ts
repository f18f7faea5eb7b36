import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import type net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };
const SECRETS = {
  user: "node-user-4711",
  password: "node-password-4711",
  pathKey: "path-key-0123456789abcdef",
  queryKey: "query-key-0123456789abcdef",
  apiKey: "client-key-0123456789abcdef",
  unknownKey: "unknown-key-0123456789abcdef",
};

let anvil: Anvil;
let database: TestDatabase;
let provider: http.Server;
let providerUrl: string;
let periscope: Periscope;
let base: string;
let folder: string;
/** How the provider answers from now on. */
let mood: "well" | "error" | "html" = "well";
/** Everything that the process has written. */
let written = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-secrets-"));
  [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
  provider = http.createServer(answerAsProvider).listen(0, "127.0.0.1");
  await once(provider, "listening");
  const { port } = provider.address() as net.AddressInfo;
  const { user, password, pathKey, queryKey } = SECRETS;
  providerUrl = `http://${user}:${password}@127.0.0.1:${port}/v3/${pathKey}?token=${queryKey}`;
  periscope = startPeriscope({
    DATABASE_URL: database.url,
    RPC_URL: providerUrl,
    DATA_DIR: folder,
    API_KEYS: SECRETS.apiKey,
    RATE_LIMIT: "1000000",
    LOG_LEVEL: "trace",
  });
  for (const stream of [periscope.process.stdout, periscope.process.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
  }
  base = (await periscope.ready).api.replace(/\/api$/, "");
});
afterAll(async () => {
  await periscope?.end();
  provider?.close();
  await database?.drop();
  await anvil?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A node behind a provider that wants credentials, and that repeats them in its errors. */
async function answerAsProvider(
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const body = (await request.toArray()).join("");
  const told = `${request.headers.authorization} ${request.url} ${providerUrl}`;
  if (mood === "html") {
    response.writeHead(503, { "content-type": "text/html" }).end(`<html>${told}</html>`);
  } else if (mood === "error") {
    const error = { code: -32_000, message: `backend of ${told} failed` };
    const calls = [JSON.parse(body)].flat() as { id: number }[];
    const answers = calls.map(({ id }) => ({ jsonrpc: "2.0", id, error }));
    response.end(JSON.stringify(Array.isArray(JSON.parse(body)) ? answers : answers[0]));
  } else {
    const answer = await fetch(anvil.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.end(await answer.text());
  }
}

async function take(pathAndQuery: string, options: RequestInit = {}): Promise<void> {
  const answer = await fetch(`${base}${pathAndQuery}`, options);
  written += `${JSON.stringify([...answer.headers])} ${await answer.text()}\n`;
}

function post(pathAndQuery: string, body: string, headers = {}): Promise<void> {
  return take(pathAndQuery, { method: "POST", body, headers });
}

/** Requests with keys in every place where a client may put one, and with mistakes around them. */
async function askWithKeys(): Promise<void> {
  const action = "module=block&action=eth_block_number";
  const json = { "content-type": "application/json" };
  const form = { "content-type": "application/x-www-form-urlencoded" };
  for (const key of [SECRETS.apiKey, SECRETS.unknownKey]) {
    for (const name of [
      "apikey",
      "apiKey",
      "APIKEY",
      "api%6Bey",
      "+apikey",
      "apikey%00",
      "api_key",
      "key",
    ]) {
      await take(`/api?${action}&${name}=${key}`);
      await take(`/v2/api?chainid=1&${name}=${key}&module=none`);
      await take(`/nowhere?${name}=${key}`);
      await take(`/api?%ff=1&${name}=${key}`);
    }
    await take(`/api?${action}`, { headers: { "x-api-key": key } });
    await take(`/api?${action}`, { headers: { authorization: `Bearer ${key}` } });
    await post("/api", `${action}&apikey=${key}`, form);
    await post("/api", JSON.stringify({ apikey: key, module: "block" }), json);
    await post("/api", `{"apikey":"${key}"`, json);
    await post("/api/eth-rpc", `{"apikey":"${key}"`, json);
  }
}

async function askOperations(): Promise<void> {
  for (const url of ["/", "/docs", "/health", "/health/ready", "/metrics", "/openapi.json"]) {
    await take(url);
  }
  await take("/pages/network.json");
  await take("/pages/history.json");
}

async function askTheNode(): Promise<void> {
  const address = `0x${"42".repeat(20)}`;
  const call = (method: string, params: unknown[]) =>
    post("/api/eth-rpc", JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), {
      "content-type": "application/json",
    });
  await call("eth_call", [{ to: address, data: "0x" }, "latest"]);
  await call("eth_getCode", [address, "latest"]);
  await call("eth_sendRawTransaction", ["0x00"]);
  await take(`/api?module=account&action=balancehistory&address=${address}&blockno=0`);
  await take(`/api?module=contract&action=verifyproxycontract&address=${address}`);
}

test("no password and no key appears in logs, answers, metrics, pages or the database", async () => {
  for (const next of ["well", "error", "html"] as const) {
    mood = next;
    await askWithKeys();
    await askOperations();
    await askTheNode();
    if (next === "well") continue;
    const warned = () => /"level":"warn"/.test(written);
    await expect.poll(warned, PATIENCE).toBe(true);
  }
  await database.sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await askOperations();
  const [status] = await database.sql`SELECT status::text FROM indexer_status`;
  written += JSON.stringify(status);

  const databasePassword = new URL(database.url).password;
  expect(databasePassword.length).toBeGreaterThan(10);
  const basic = Buffer.from(`${SECRETS.user}:${SECRETS.password}`).toString("base64");
  for (const secret of [...Object.values(SECRETS), databasePassword, basic]) {
    const found = written.indexOf(secret);
    expect(found < 0 ? "" : written.slice(Math.max(0, found - 300), found + 100)).toBe("");
  }
  expect(written).toContain("eth_block_number");
});
