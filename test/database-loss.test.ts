import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { sleep } from "../src/core/async.ts";
import { createSql } from "../src/db/client.ts";
import { type Periscope, startPeriscope } from "./support/periscope.ts";
import { createTestDatabase, type TestDatabase } from "./support/postgres.ts";
import { type ScriptedNode, startScriptedNode } from "./support/scripted-node.ts";

// All sessions of the database are ended repeatedly, during any work of the process.

/** More than are loaded with their indexes in place. */
const BLOCKS = 1_200;
const PATIENCE_MS = 60_000;

let database: TestDatabase | undefined;
let node: ScriptedNode | undefined;
let periscope: Periscope | undefined;
let folder: string | undefined;
afterEach(async () => {
  await periscope?.end();
  await node?.stop();
  await database?.drop();
  if (folder) await rm(folder, { recursive: true, force: true });
  periscope = node = database = folder = undefined;
});

/**
 * Ends the sessions of all others as often as `count`, and until `task` is done. The intervals grow from `everyMs` or so to
 * six times that: between some of them also a slow machine finishes its step.
 */
async function cutOff(everyMs: number, count: number, task?: Promise<unknown>): Promise<void> {
  let isRunning = task !== undefined;
  const done = task?.finally(() => {
    isRunning = false;
  });
  const sql = createSql(database?.url ?? "", { connections: 1 });
  for (let round = 0; isRunning || round < count; round++) {
    await sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await sleep(everyMs * Math.min(1.1 ** round, 6) * (0.5 + Math.random()));
  }
  await sql.end();
  await done;
}

async function start(settings: Record<string, string>): Promise<Periscope> {
  folder = await mkdtemp(path.join(os.tmpdir(), "periscope-loss-"));
  periscope = startPeriscope({
    DATABASE_URL: database?.url ?? "",
    DATA_DIR: folder,
    POLL_INTERVAL_MS: "100",
    ...settings,
  });
  return periscope;
}

function expectAlive(): void {
  expect(periscope?.process.exitCode, periscope?.complaints()).toBeNull();
}

async function getJson(
  url: string,
): Promise<{ httpStatus: number; body: Record<string, unknown> }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  return { httpStatus: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("a first load and the head survive the loss of all connections, again and again", async () => {
  database = await createTestDatabase();
  node = await startScriptedNode();
  const { chain } = node;
  chain.mine(BLOCKS);
  const { ready } = await start({ RPC_URL: node.url });
  await cutOff(120, 30);
  expectAlive();
  const { api } = await ready;

  const answers = new Set<number>();
  const asking = (async () => {
    for (let round = 0; round < 25; round++) {
      chain.mine(1);
      const before = chain.height;
      const { httpStatus, body } = await getJson(`${api}?module=block&action=eth_block_number`);
      answers.add(httpStatus);
      if (httpStatus === 200) expect(Number(body["result"])).toBeLessThanOrEqual(before);
      else expect(body["message"]).toBe("The database does not answer, please try again later");
    }
  })();
  await cutOff(100, 20, asking);
  expectAlive();
  expect([...answers].filter((status) => status !== 200 && status !== 503)).toEqual([]);

  const health = api.replace(/\/api$/, "/health");
  await expect
    .poll(async () => (await getJson(health)).body["head"], { timeout: PATIENCE_MS })
    .toMatchObject({ number: chain.height, hash: chain.head.block.hash });
  // The indexer says every few seconds that it no longer waits.
  await expect
    .poll(async () => (await getJson(health)).body, { timeout: 20_000 })
    .toMatchObject({ status: "ready", gaps: 0 });
  expect(periscope?.messages()).not.toContain("unhandled rejection");
}, 120_000);

const BADGE = "0xa15bb66138824a1c7167f5e85b957d04dd34e468";

/** As src/devnet/artifacts.ts compiles it. */
async function badgeInput(): Promise<string> {
  const file = new URL("../src/devnet/contracts/Badge.sol", import.meta.url);
  return JSON.stringify({
    language: "Solidity",
    sources: { "Badge.sol": { content: await readFile(file, "utf8") } },
    settings: { optimizer: { enabled: false } },
  });
}

test("the start of the embedded chain and a verification survive it, too", async () => {
  database = await createTestDatabase();
  const { ready } = await start({});
  await cutOff(150, 30);
  expectAlive();
  const { etherscan } = await ready;
  const form = new URLSearchParams({
    module: "contract",
    action: "verifysourcecode",
    codeformat: "solidity-standard-json-input",
    contractaddress: BADGE,
    contractname: "Badge.sol:Badge",
    compilerversion: "v0.8.37+commit.f401782d",
    sourceCode: await badgeInput(),
  });
  const submitted = await fetch(etherscan, { method: "POST", body: form });
  const { result: guid } = (await submitted.json()) as { result: string };
  // From the claim of the job to its end every statement may be the one that is cut off.
  await cutOff(100, 60);
  expectAlive();
  const status = `${etherscan}?module=contract&action=checkverifystatus&guid=${guid}`;
  await expect
    .poll(async () => (await getJson(status)).body["result"], { timeout: PATIENCE_MS })
    .toBe("Pass - Verified");
  expect(periscope?.messages()).not.toContain("unhandled rejection");
}, 180_000);
