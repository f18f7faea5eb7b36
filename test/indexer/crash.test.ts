import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexerOptions } from "../support/indexer.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { startRelay } from "../support/relay.ts";
import { startScriptedNode } from "../support/scripted-node.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";

const SEED = Number(process.env["CRASH_SEED"] ?? 1);
const KILLS = Number(process.env["CRASH_KILLS"] ?? 5);
const PROCESS = new URL("../support/indexer-process.ts", import.meta.url).pathname;

function startProcess(options: TestIndexerOptions): ChildProcess {
  return spawn(process.execPath, [PROCESS, JSON.stringify(options)], { stdio: "inherit" });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`the indexer ended by itself: ${child.exitCode}`);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("an indexer that is killed", () => {
  let anvil: Anvil;
  let world: World;
  let database: TestDatabase;

  beforeAll(async () => {
    anvil = await startAnvil();
    world = await deployWorld(anvil.url);
    await world.everything();
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await database?.drop();
    await anvil?.stop();
  });

  async function expectChain(): Promise<void> {
    const oracle = await createOracleReader(anvil.url).read();
    const indexer = startTestIndexer({ databaseUrl: database.url, rpcUrls: [anvil.url] });
    try {
      await indexer.reach(oracle.head.hash);
      expect(await compareDatabase(database.sql, oracle)).toEqual([]);
    } finally {
      await indexer.stop();
    }
  }

  it(`holds the chain after ${KILLS} kills at random moments of a backfill`, async () => {
    const random = createRandom(SEED);
    for (let count = 0; count < KILLS; count++) {
      const child = startProcess({
        databaseUrl: database.url,
        rpcUrls: [anvil.url],
        finalityDepth: random.integer(40),
      });
      // From the connection to the end of the backfill: a start alone takes about 600 ms.
      await pause(500 + random.integer(1_000));
      await kill(child);
      if (count % 5 === 4) {
        await expectChain();
        await database.drop();
        database = await createTestDatabase();
      }
    }
  });

  it(`holds the chain after ${KILLS} kills at random moments at the head`, async () => {
    const random = createRandom(SEED + 1);
    for (let count = 0; count < KILLS; count++) {
      const child = startProcess({ databaseUrl: database.url, rpcUrls: [anvil.url] });
      const until = Date.now() + 600 + random.integer(600);
      while (Date.now() < until) {
        await pause(100);
        await world.step(random);
      }
      await kill(child);
    }
    await expectChain();
  });

  it("is replaced by the one that stood by", async () => {
    const options = { databaseUrl: database.url, rpcUrls: [anvil.url] };
    const random = createRandom(SEED + 2);
    const first = startProcess(options);
    const { sql } = database;
    const epochOf = async () =>
      (await sql<{ epoch: number }[]>`SELECT epoch FROM writer`)[0]?.epoch;
    const before = await epochOf();
    await expect.poll(epochOf).not.toBe(before);
    const second = startTestIndexer(options);
    try {
      await second.until(() => second.status().phase === "standby");
      await world.step(random);
      await kill(first);
      await world.step(random);
      const oracle = await createOracleReader(anvil.url).read();
      await second.reach(oracle.head.hash);
      expect(await compareDatabase(database.sql, oracle)).toEqual([]);
    } finally {
      await second.stop();
    }
  });
});

describe("an indexer that stands still", () => {
  it("is replaced by the one that stood by, and writes nothing when it goes on", async () => {
    const node = await startScriptedNode();
    const database = await createTestDatabase();
    const options = { databaseUrl: database.url, rpcUrls: [node.url], writerSilenceMs: 8_000 };
    const first = startProcess(options);
    const isWritten = async () =>
      (await database.sql`SELECT FROM sync_state WHERE head_number IS NOT NULL`).length > 0;
    await expect.poll(isWritten).toBe(true);
    const second = startTestIndexer(options);
    const reachMined = () => second.reach(node.chain.mine({ transactions: [{}] }).block.hash);
    try {
      await second.until(() => second.status().phase === "standby");
      await reachMined();
      first.kill("SIGSTOP");
      await reachMined();
      expect(second.status().phase).not.toBe("standby");
      first.kill("SIGCONT");
      for (let block = 0; block < 20; block++) await reachMined();
      const oracle = await createOracleReader(node.url).read();
      expect(await compareDatabase(database.sql, oracle)).toEqual([]);
    } finally {
      first.kill("SIGCONT");
      await kill(first);
      await second.stop();
      await database.drop();
      await node.stop();
    }
  });
});

describe("an indexer whose database goes away", () => {
  let folder: string;
  let sql: Sql;
  let anvil: Anvil;
  let world: World;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "periscope-crash-"));
    anvil = await startAnvil();
    world = await deployWorld(anvil.url);
  });

  afterAll(async () => {
    await anvil?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it(`holds the chain after ${KILLS} stops of the server and lost connections`, async () => {
    const random = createRandom(SEED + 3);
    const start = () =>
      startEmbeddedPostgres({ folder, log: pino({ level: "silent" }), durable: false });
    const portOf = (url: string) => Number(new URL(url).port);
    let server = await start();
    const relay = await startRelay(portOf(server.url));
    const url = new URL(server.url);
    url.port = String(relay.port);
    sql = createSql(url.href, { connections: 2 });
    await migrate(sql);
    const indexer = startTestIndexer({ databaseUrl: url.href, rpcUrls: [anvil.url] });
    try {
      for (let count = 0; count < KILLS; count++) {
        await world.step(random);
        await pause(random.integer(150));
        if (count % 4 === 0) {
          await server.stop();
          await world.step(random);
          server = await start();
          relay.retarget(portOf(server.url));
        } else {
          relay.cut();
        }
      }
      await world.everything();
      const oracle = await createOracleReader(anvil.url).read();
      await indexer.reach(oracle.head.hash);
      expect(await compareDatabase(sql, oracle)).toEqual([]);
    } finally {
      await indexer.stop();
      await sql.end({ timeout: 1 });
      await relay.stop();
      await server.stop();
    }
  });
});
