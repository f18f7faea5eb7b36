import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import type net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { ENCODINGS } from "./support/encodings.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };
/** Characters with a meaning in a URL, in JSON, in HTML, in SQL or in a shell. */
const ODD = "/@?#%&=+: \\\"'<$`;é€";
const SECRETS = {
  user: `node-user-${ODD}`,
  password: `node-password-${ODD}`,
  pathKey: `path-key-${ODD}`,
  queryKey: `query-key-${ODD}`,
  announcerPassword: `announcer-password-${ODD}`,
  announcerKey: `announcer-key-${ODD}`,
  solcPassword: `solc-password-${ODD}`,
  solcToken: `solc-token-${ODD}`,
  vyperPassword: `vyper-password-${ODD}`,
  vyperToken: `vyper-token-${ODD}`,
  databasePassword: `database-password-${ODD}`,
  apiKey: "client-key-0123456789abcdef",
  unknownKey: "unknown-key-0123456789abcdef",
};
const encoded = Object.fromEntries(
  Object.entries(SECRETS).map(([name, secret]) => [name, encodeURIComponent(secret)]),
) as typeof SECRETS;
const BASIC = `${SECRETS.user}:${SECRETS.password}`;

let anvil: Anvil;
let database: TestDatabase;
let provider: http.Server;
let providerUrl: string;
/** Everything that a node might repeat, each in every encoding. */
let told: string;
let role: string;
let periscope: Periscope;
let base: string;
let folder: string;
/** How the provider answers from now on. */
let mood: "well" | "error" | "html" = "well";
/** Credentials in requests to the provider. */
const authorizations = new Set<string | undefined>();
/** Everything that the process has written, and of that what it answered. */
let written = "";
let answered = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-secrets-"));
  [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
  provider = http.createServer(answerAsProvider).listen(0, "127.0.0.1");
  await once(provider, "listening");
  const { port } = provider.address() as net.AddressInfo;
  const host = `127.0.0.1:${port}`;
  const { user, password, pathKey, queryKey } = encoded;
  providerUrl = `http://${user}:${password}@${host}/v3/${pathKey}?token=${queryKey}`;
  // A key invented by a client is in no setting and at no node.
  const { unknownKey: _, ...settings } = SECRETS;
  const all = [...Object.values(settings), BASIC, providerUrl];
  told = all
    .flatMap((secret) => Object.values(ENCODINGS).map((encode) => encode(secret)))
    .join(" ");
  role = `secretive_${port}`;
  await database.sql.unsafe(
    `CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${SECRETS.databasePassword.replaceAll("'", "''")}'`,
  );
  const databaseUrl = new URL(database.url);
  databaseUrl.username = role;
  databaseUrl.password = encoded.databasePassword;
  periscope = startPeriscope({
    DATABASE_URL: databaseUrl.href,
    RPC_URL: providerUrl,
    RPC_WS_URL: `ws://u:${encoded.announcerPassword}@${host}/${encoded.announcerKey}`,
    SOLC_LIST_URL: `http://u:${encoded.solcPassword}@${host}/list.json?token=${encoded.solcToken}`,
    VYPER_LIST_URL: `http://u:${encoded.vyperPassword}@${host}/list.json?token=${encoded.vyperToken}`,
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
  await database?.sql.unsafe(`DROP ROLE IF EXISTS ${role}`);
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
  authorizations.add(request.headers.authorization);
  if (request.method === "GET") {
    response.writeHead(500).end(told);
  } else if (mood === "html") {
    response.writeHead(503, { "content-type": "text/html" }).end(`<html>${told}</html>`);
  } else if (mood === "error") {
    const message = `backend of ${request.headers.authorization} ${request.url} ${told} failed`;
    const error = { code: -32_000, message, data: { message, hint: [told], stack: told } };
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
  const text = `${JSON.stringify([...answer.headers])} ${await answer.text()}\n`;
  written += text;
  answered += text;
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

test("what the public sees names no host of a node or of the database", async () => {
  mood = "error";
  await askOperations();
  await askTheNode();
  for (const url of [providerUrl, database.url]) {
    const { host } = new URL(url);
    const found = answered.indexOf(host);
    expect(found < 0 ? "" : answered.slice(Math.max(0, found - 300), found + 100)).toBe("");
  }
  mood = "well";
});

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

  const basic = `Basic ${Buffer.from(BASIC).toString("base64")}`;
  expect(authorizations).toContain(basic);
  const solc = Buffer.from(`u:${SECRETS.solcPassword}`).toString("base64");
  expect(authorizations).toContain(`Basic ${solc}`);
  const [key] = await database.sql<[{ secret: string }]>`
    SELECT substring(prosrc FROM '(\\d+)\\)\\)$') AS secret FROM pg_proc WHERE oid = 'index_key'::regproc`;
  expect(key.secret).toMatch(/^\d{10,}$/);
  for (const secret of [...Object.values(SECRETS), BASIC, key.secret]) {
    for (const [name, encode] of Object.entries(ENCODINGS)) {
      const found = written.indexOf(encode(secret));
      const place = written.slice(Math.max(0, found - 300), found + 100);
      expect([name, found < 0 ? "" : place]).toEqual([name, ""]);
    }
  }
  expect(written).toContain("eth_block_number");
});
