import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../src/process/free-port.ts";
import { type Anvil, startAnvil } from "./support/anvil.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };
const SLOW = { timeout: 100_000, interval: 250 };

let anvil: Anvil;
let database: TestDatabase;
let sql: TestDatabase["sql"];
const running: Periscope[] = [];

beforeAll(async () => {
  [anvil, database] = await Promise.all([startAnvil(), createTestDatabase()]);
  ({ sql } = database);
});
afterAll(async () => {
  await Promise.all(running.map((periscope) => periscope.end("SIGKILL")));
  await database.drop();
  await anvil.stop();
});

/** Starts one process of several; gives it with its URL. */
async function start(
  role: string,
  more: Record<string, string> = {},
): Promise<{ periscope: Periscope; url: string }> {
  const settings = { ROLE: role, DATABASE_URL: database.url, RPC_URL: anvil.url, ...more };
  const periscope = startPeriscope(settings);
  running.push(periscope);
  const listening = () =>
    /Server listening at (http:\S+)/.exec(periscope.messages().join("\n"))?.[1];
  await expect.poll(listening, PATIENCE).toBeDefined();
  return { periscope, url: listening() ?? "" };
}

async function problemsAt(url: string): Promise<string[]> {
  return ((await (await fetch(`${url}/health`)).json()) as { problems: string[] }).problems;
}

async function mine(): Promise<string> {
  const ask = async (method: string) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(anvil.url, { method: "POST", headers, body });
    return ((await answer.json()) as { result: string }).result;
  };
  await ask("evm_mine");
  return ask("eth_blockNumber");
}

async function headAt(url: string): Promise<string> {
  const answer = await fetch(`${url}/api?module=block&action=eth_block_number`);
  return ((await answer.json()) as { result: string }).result;
}

test("an indexer and several servers work on one database, and a second indexer takes over", async () => {
  const indexer = await start("indexer");
  const standby = await start("indexer");
  const servers = [await start("api"), await start("api")];
  const head = await mine();
  for (const { url } of servers) {
    await expect.poll(() => headAt(url), PATIENCE).toBe(head);
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
  }

  expect((await fetch(`${indexer.url}/health/ready`)).status).toBe(200);
  expect((await fetch(`${indexer.url}/api?module=block&action=eth_block_number`)).status).toBe(404);
  const published = /^periscope_published_blocks_total\{chain="31337"\} (\d+)$/m;
  await expect
    .poll(
      async () => published.exec(await (await fetch(`${indexer.url}/metrics`)).text())?.[1],
      PATIENCE,
    )
    .toBe(String(Number(head) + 1));

  const counted = await (await fetch(`${indexer.url}/metrics`)).text();
  expect(counted).toMatch(/^periscope_recorded_rows_total\{table="blocks",chain="31337"\} 2$/m);
  expect(counted).toMatch(
    /^periscope_indexing_stage_duration_seconds_count\{stage="state",chain="31337"\} (?:[2-9]|\d\d+)$/m,
  );
  expect(counted).toMatch(
    /^periscope_rpc_requests_total\{method="\w+",outcome="ok",chain="31337"\} \d+$/m,
  );

  await indexer.periscope.end("SIGKILL");
  const later = await mine();
  for (const { url } of servers) await expect.poll(() => headAt(url), PATIENCE).toBe(later);
  expect(standby.periscope.messages()).toContain(
    "another indexer writes to this database: standing by",
  );
});

test("a full disk and a missing writer are named, with their remedies", async () => {
  await Promise.all(running.splice(0).map((one) => one.end("SIGKILL")));
  const writer = await start("indexer");
  const { url } = await start("api");
  await expect.poll(() => problemsAt(url), SLOW).toEqual([]);
  // Neither blocks nor reports can be stored: the indexer's own process knows why.
  await sql`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE SQLSTATE '53100' USING MESSAGE = 'could not extend file'; END $$`;
  for (const table of ["blocks", "indexer_status"]) {
    await sql`CREATE TRIGGER full_disk BEFORE INSERT ON ${sql(table)} EXECUTE FUNCTION refuse()`;
  }
  await mine();
  await expect
    .poll(() => problemsAt(writer.url), SLOW)
    .toEqual([
      "the indexer waits: the disk of the database is full; free some of it, or move the database",
    ]);
  await sql`DROP FUNCTION refuse CASCADE`;
  await expect.poll(() => problemsAt(writer.url), SLOW).toEqual([]);

  await writer.periscope.end("SIGKILL");
  await expect
    .poll(() => problemsAt(url), SLOW)
    .toEqual([expect.stringContaining("no indexer writes to the database")]);
  await Promise.all(running.splice(0).map((one) => one.end("SIGKILL")));
}, 300_000);

test("operators have a port of their own when they ask for one", async () => {
  const port = String(await freePort());
  const { periscope, url } = await start("all", { OPERATIONS_PORT: port });
  await periscope.ready;
  const operations = `http://127.0.0.1:${port}`;
  expect((await fetch(`${operations}/metrics`)).status).toBe(200);
  expect(await (await fetch(`${operations}/health`)).json()).toMatchObject({
    nodes: [{ node: "node 1", usable: true }],
  });
  expect((await fetch(`${operations}/api?module=block&action=eth_block_number`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  expect(await (await fetch(`${url}/health`)).json()).not.toHaveProperty("nodes");
  expect(await periscope.end()).toBe(0);
});

test("a server that is told to end answers first what it has accepted", async () => {
  const { periscope, url } = await start("all");
  await periscope.ready;
  const requests = 10;
  let answers: Promise<Response[]> | undefined;
  let ended: Promise<unknown> | undefined;
  await sql.begin(async (transaction) => {
    await transaction`LOCK TABLE blocks`;
    answers = Promise.all(
      Array.from({ length: requests }, () =>
        fetch(`${url}/api?module=block&action=getblockreward&blockno=0`),
      ),
    );
    await expect
      .poll(async () => {
        const [row] = await sql<{ waiting: number }[]>`
          SELECT count(*)::int AS waiting FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return row?.waiting;
      }, PATIENCE)
      .toBeGreaterThanOrEqual(requests);
    ended = periscope.end("SIGTERM");
    await expect.poll(() => periscope.messages(), PATIENCE).toContain("stopping on SIGTERM");
  });
  const statuses = (await answers)?.map(({ status }) => status);
  expect(statuses).toEqual(Array(requests).fill(200));
  expect(await ended).toBe(0);
});
