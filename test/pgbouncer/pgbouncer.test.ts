import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { ordinaryUser } from "../../src/db/embedded/binaries.ts";
import { type Child, startChild } from "../../src/process/child.ts";
import { freePort } from "../../src/process/free-port.ts";
import { getServedHead } from "../../src/store/sync-state.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { type Periscope, startPeriscope } from "../support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

// The set-up that docs/operations/database.md describes, with a real PgBouncer in transaction mode: the program
// `pgbouncer` (Debian's package is one), at PGBOUNCER when it is not on the PATH.

const PGBOUNCER = process.env["PGBOUNCER"] ?? "pgbouncer";
const DOCUMENT = path.join(import.meta.dirname, "../../docs/operations/database.md");
const PATIENCE = { timeout: 60_000, interval: 50 };
const CLIENTS = 16;
const REQUESTS_OF_A_CLIENT = 100;

let anvil: Anvil;
let database: TestDatabase;
let folder: string;
const running: Periscope[] = [];
const poolers: Child[] = [];

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-pgbouncer-"));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await Promise.all(running.map((periscope) => periscope.end("SIGKILL")));
  await Promise.all(poolers.map((pooler) => pooler.stop(5_000)));
  await database?.drop();
  await anvil?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The fenced block of a language in the document's section on PgBouncer. */
async function documented(language: string): Promise<string> {
  const [, section = ""] = (await readFile(DOCUMENT, "utf8")).split("\n## PgBouncer\n");
  const [, block = ""] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(section) ?? [];
  expect(block).not.toBe("");
  return block;
}

/**
 * Starts PgBouncer with the lines of a pgbouncer.ini in front of the test database; gives the URL of its side, or of an
 * entry that sends `connectQuery` first.
 */
async function startPooler(lines: string, connectQuery = ""): Promise<string> {
  const url = new URL(database.url);
  const port = await freePort();
  const place = path.join(folder, String(port));
  const [user, password, name] = [
    url.username,
    decodeURIComponent(url.password),
    url.pathname.slice(1),
  ];
  await writeFile(`${place}.users`, `"${user}" "${password}"\n`);
  await writeFile(
    `${place}.ini`,
    [
      "[databases]",
      `${name} = host=${url.hostname} port=${url.port} dbname=${name} ${connectQuery}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = plain",
      `auth_file = ${place}.users`,
      "default_pool_size = 5",
      lines,
    ].join("\n"),
  );
  const listening = Promise.withResolvers<true>();
  const said: string[] = [];
  const pooler = startChild({
    command: PGBOUNCER,
    args: [`${place}.ini`],
    user: await ordinaryUser(folder),
    stopSignal: "INT",
    onLine: (line) => {
      said.push(line);
      if (line.includes("process up")) listening.resolve(true);
    },
  });
  poolers.push(pooler);
  if (!(await pooler.until(listening.promise, undefined))) throw new Error(said.join("\n"));
  url.port = String(port);
  return url.href;
}

async function start(settings: Record<string, string>): Promise<string> {
  const periscope = startPeriscope({ DATABASE_URL: database.url, RPC_URL: anvil.url, ...settings });
  running.push(periscope);
  return (await periscope.ready).api;
}

async function ask(api: string, query: string): Promise<unknown> {
  const answer = await fetch(`${api}?${query}`);
  return { status: answer.status, body: await answer.json() };
}

test("servers read through the pooler as it is documented, prepared statements apart", async () => {
  const admin = createSql(database.url, { connections: 1 });
  const { username, pathname } = new URL(database.url);
  const sql = (await documented("sql"))
    .replaceAll("ROLE periscope", `ROLE ${username}`)
    .replaceAll("DATABASE periscope", `DATABASE ${pathname.slice(1)}`);
  await admin.unsafe(sql);
  await admin.end();
  const pooled = await startPooler(await documented("ini"));

  const indexer = startPeriscope({
    DATABASE_URL: database.url,
    RPC_URL: anvil.url,
    ROLE: "indexer",
  });
  running.push(indexer);
  await vi.waitUntil(() => getServedHead(database.sql), PATIENCE);
  const direct = await start({ ROLE: "api" });
  const api = await start({ ROLE: "api", DATABASE_READ_URL: `${pooled}?prepare=false` });

  const address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
  const queries = [
    `module=account&action=balance&address=${address}`,
    `module=account&action=txlist&address=${address}`,
    "module=block&action=getblockreward&blockno=0",
    `module=logs&action=getLogs&fromBlock=0&toBlock=latest&address=${address}`,
    "module=stats&action=ethsupply",
    "module=account&action=listaccounts",
  ];
  const expected = await Promise.all(queries.map((query) => ask(direct, query)));
  const counts = { right: 0, wrong: 0 };
  const client = async (first: number) => {
    for (let at = first; at < first + REQUESTS_OF_A_CLIENT; at++) {
      const index = at % queries.length;
      const answer = await ask(api, queries[index] ?? "");
      counts[JSON.stringify(answer) === JSON.stringify(expected[index]) ? "right" : "wrong"]++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  expect(counts).toEqual({ right: CLIENTS * REQUESTS_OF_A_CLIENT, wrong: 0 });
  const version = execFileSync(PGBOUNCER, ["--version"], { encoding: "utf8" }).split("\n")[0];
  process.stdout.write(
    `${version}: ${counts.right} of ${counts.right} requests answered as without\n`,
  );
});

test("a chain in a schema of its own is read through an entry of its own, and through no other", async () => {
  const second = await startAnvil(["--chain-id", "31338"]);
  await createJsonRpc(second.url).request("anvil_mine", "0x3");
  const ofSecond = { RPC_URL: second.url, DATABASE_SCHEMA: "rollup" };
  const indexer = startPeriscope({ DATABASE_URL: database.url, ROLE: "indexer", ...ofSecond });
  running.push(indexer);
  const rollup = createSql(database.url, { schema: "rollup", connections: 1 });
  const isIndexed = async () => (await getServedHead(rollup).catch(() => undefined))?.number === 3;
  await vi.waitUntil(isIndexed, PATIENCE);
  await rollup.end();
  const documentedLines = await documented("ini");
  const [, query] = /(connect_query='.*')/.exec(documentedLines) ?? [];
  const lines = documentedLines.replaceAll(/^; .*\n/gm, "");

  const ignoring = `${await startPooler(lines)}?prepare=false`;
  const refused = startPeriscope({
    DATABASE_URL: database.url,
    ROLE: "api",
    DATABASE_READ_URL: ignoring,
    ...ofSecond,
  });
  running.push(refused);
  expect(await refused.ended).toBe(1);
  expect(refused.complaints()).toContain("DATABASE_READ_URL leads to the schema public");

  const own = `${await startPooler(lines, query)}?prepare=false`;
  const api = await start({ ROLE: "api", DATABASE_READ_URL: own, ...ofSecond });
  expect(await ask(api, "module=block&action=eth_block_number")).toMatchObject({
    body: { result: "0x3" },
  });
  await second.stop();
});

test.each([
  ["as it is documented", () => documented("ini")],
  [
    "that ignores whatever it does not know",
    async () =>
      "pool_mode = transaction\nignore_startup_parameters = search_path, statement_timeout, synchronous_commit, " +
      "tcp_keepalives_idle, tcp_keepalives_interval, tcp_keepalives_count\n",
  ],
  ["of whole sessions", async () => "pool_mode = session\n"],
])("nothing writes through a pooler %s: the start is refused with words", async (_what, lines) => {
  const pooled = await startPooler(await lines());
  const periscope = startPeriscope({ DATABASE_URL: pooled, RPC_URL: anvil.url });
  running.push(periscope);
  expect(await periscope.ended).toBe(1);
  expect(periscope.complaints()).toContain("DATABASE_URL leads to a pooler (PgBouncer)");
});
