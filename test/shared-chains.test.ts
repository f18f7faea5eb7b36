import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSql, type Sql } from "../src/db/client.ts";
import { type ChainsFile, createChainsFile } from "./support/chains-file.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";
import { ScriptedChain } from "./support/scripted-node/chain.ts";
import { type ScriptedNode, startScriptedNode } from "./support/scripted-node.ts";

const PATIENCE = { timeout: 100_000, interval: 100 };
const IDS = [1001, 1002, 1003];

interface Running extends Periscope {
  url: string;
}

let database: TestDatabase;
let sql: Sql;
let nodes: ScriptedNode[];
let file: ChainsFile;
let first: Running;
let second: Running;
const running: Running[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = createSql(database.url, { connections: 1 });
  nodes = await Promise.all(
    IDS.map((chainId) => startScriptedNode({ chain: new ScriptedChain({ chainId }) })),
  );
  for (const { chain } of nodes) chain.mine(3);
  file = createChainsFile(
    nodes.map(({ chain, url }) => ({
      CHAIN_ID: chain.chainId,
      DATABASE_SCHEMA: `chain_${chain.chainId}`,
      RPC_URL: url,
    })),
  );
  first = await start();
  await vi.waitFor(async () => expect(await shares()).toEqual([IDS.length]), PATIENCE);
  await follow(first);
});
afterAll(async () => {
  await Promise.all(running.map((periscope) => periscope.end("SIGKILL")));
  await sql.end();
  await database.drop();
  await Promise.all(nodes.map((node) => node.stop()));
  file.remove();
});

/** Starts a process on the file. */
async function start(): Promise<Running> {
  const periscope = startPeriscope({
    DATABASE_URL: database.url,
    CHAINS_FILE: file.path,
    DATABASE_CONNECTIONS: "6",
    POLL_INTERVAL_MS: "200",
  });
  const started = { ...periscope, url: "" };
  running.push(started);
  const listening = await vi.waitUntil(
    () => /Server listening at (http:\S+)/.exec(periscope.messages().join("\n")),
    PATIENCE,
  );
  started.url = listening[1] ?? "";
  return started;
}

/** How many chains each process writes, in ascending order. */
async function shares(): Promise<number[]> {
  const rows = await sql<{ chains: number }[]>`
    SELECT count(*) AS chains FROM pg_locks lock JOIN pg_stat_activity activity USING (pid)
    WHERE lock.locktype = 'advisory' AND lock.mode = 'ExclusiveLock'
      AND activity.application_name LIKE 'periscope writer %' AND activity.datname = current_database()
    GROUP BY activity.application_name`;
  return rows.map(({ chains }) => chains).sort();
}

/** Mines a block on each chain, and waits until a process serves it. */
async function follow({ url }: Running): Promise<void> {
  for (const { chain } of nodes) chain.mine(1);
  const served = () =>
    Promise.all(
      IDS.map(async (id) => {
        const answer = await fetch(`${url}/${id}/api?module=block&action=eth_block_number`);
        return Number(((await answer.json()) as { result: string }).result);
      }),
    );
  const heights = nodes.map(({ chain }) => chain.height);
  await vi.waitFor(async () => expect(await served()).toEqual(heights), PATIENCE);
}

test("a process that starts later is given its part of the chains", async () => {
  second = await start();
  await expect.poll(shares, PATIENCE).toEqual([1, 2]);
  await follow(first);
  await follow(second);
});

test("the chains of a process that dies are taken over", async () => {
  await first.end("SIGKILL");
  await expect.poll(shares, PATIENCE).toEqual([3]);
  await follow(second);
});

test("the chains of a process that stops are taken over", async () => {
  const third = await start();
  await expect.poll(shares, PATIENCE).toEqual([1, 2]);
  expect(await second.end("SIGTERM")).toBe(0);
  await expect.poll(shares, PATIENCE).toEqual([3]);
  await follow(third);
  const handedOver = second
    .messages()
    .filter((message) => message === "another process writes fewer chains: handing this one over");
  expect(handedOver).toHaveLength(1);
});
