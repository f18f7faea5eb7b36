import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSql } from "../../../src/db/client.ts";
import { timeStatements } from "../../../src/db/statements.ts";
import { getIndexHealth } from "../../../src/store/health.ts";
import { writeIndexerStatus } from "../../../src/store/sync-state.ts";
import { releaseWriterLock, takeWriterLock } from "../../../src/store/writer/writer.ts";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { blockHash, blockTime, publish, setSyncState } from "../../support/build.ts";
import { type ScriptedNode, startScriptedNode } from "../../support/scripted-node.ts";

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  server = await createTestApp({ nodeUrl: node.url });
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

const DATABASE_AWAY =
  "the database does not answer; see whether it runs, and where DATABASE_URL leads";
beforeEach(async () => {
  const { sql } = server;
  await sql`TRUNCATE blocks, daily_statistics, sync_state, indexer_status`;
  await publish(sql, {
    blocks: [{ number: 0 }, { number: 1 }],
    dailyStatistics: [{ day: "2025-07-01", blockCount: 2 }],
  });
  await writeIndexerStatus(sql, { phase: "following", nodeHead: 3 });
});

async function ask(url: string, app = server.app) {
  const response = await app.inject(url);
  return { status: response.statusCode, body: response.json() };
}

test("/health/live answers whatever else is wrong", async () => {
  const sql = createSql("postgres://nobody@127.0.0.1:1/nothing");
  const alone = await createTestApp({ sql });
  expect(await ask("/health/live", alone.app)).toEqual({ status: 200, body: { status: "live" } });
  expect(await ask("/health/ready", alone.app)).toEqual({
    status: 503,
    body: { status: "not ready", problems: [DATABASE_AWAY] },
  });
  const { status, body } = await ask("/health", alone.app);
  expect(status).toBe(503);
  expect(body).toMatchObject({ status: "not ready", database: { reachable: false }, lag: null });
  await alone.close();
  await sql.end();
});

describe("/health/ready", () => {
  const ready = () => ask("/health/ready");

  test("is ready at the head, or little behind it", async () => {
    expect(await ready()).toEqual({ status: 200, body: { status: "ready" } });
  });

  test.each<[string, () => Promise<unknown>, string]>([
    [
      "far behind the node",
      () => writeIndexerStatus(server.sql, { nodeHead: 102 }),
      "101 blocks behind the node",
    ],
    [
      "while the node has another chain",
      () => writeIndexerStatus(server.sql, { phase: "halted", nodeHead: 3 }),
      "the node has another chain",
    ],
    [
      "while indexes are missing",
      () => setSyncState(server.sql, { synchronised: false }),
      "the first synchronisation is running",
    ],
    [
      "before the first block",
      () => setSyncState(server.sql, { headNumber: null }),
      "the first synchronisation is running",
    ],
    [
      "without an indexer",
      () => server.sql`DELETE FROM indexer_status`,
      "no indexer has reported yet",
    ],
    [
      "while the node has another chain, and says which",
      () => writeIndexerStatus(server.sql, { phase: "halted", reason: "another one" }),
      "another one",
    ],
    [
      "while the indexer waits",
      () => writeIndexerStatus(server.sql, { phase: "waiting", reason: "no disk", waitSeconds: 3 }),
      "the indexer waits: no disk",
    ],
    [
      "without a writer",
      () => server.sql`UPDATE indexer_status SET updated_at = now() - interval '90 seconds'`,
      "no indexer writes to the database, the last one reported 90 s ago; start one (ROLE=all or ROLE=indexer)",
    ],
    [
      "when blocks are missing",
      () => server.sql`UPDATE daily_statistics SET block_count = 1`,
      "1 blocks are missing",
    ],
  ])("is not ready %s, and says why", async (_when, spoil, problem) => {
    await spoil();
    expect(await ready()).toEqual({
      status: 503,
      body: { status: "not ready", problems: [problem] },
    });
  });
});

test("a writer that is silent is told from none", async () => {
  await server.sql`UPDATE indexer_status SET updated_at = now() - interval '90 seconds'`;
  await server.sql.begin(async (writer) => {
    await takeWriterLock(writer);
    expect((await ask("/health/ready")).body.problems).toEqual([
      "the indexer has said nothing for 90 s; see its log, and restart it",
    ]);
    await releaseWriterLock(writer);
  });
});

test("what the indexer waits for a moment is no problem", async () => {
  await writeIndexerStatus(server.sql, { phase: "waiting", reason: "a flaw", waitSeconds: 2 });
  expect((await ask("/health/ready")).status).toBe(200);
});

test("the report of the own indexer comes before the stored one", async () => {
  const { indexer } = await getIndexHealth(server.sql);
  const own = indexer && {
    ...indexer,
    phase: "waiting",
    reason: "the disk is full",
    waitSeconds: 9,
  };
  await server.sql`UPDATE indexer_status SET updated_at = now() - interval '90 seconds'`;
  const app = await createTestApp({
    sql: server.sql,
    nodeUrl: node.url,
    ownIndexer: () => ({ indexer: own, indexerAgeSeconds: 1 }),
  });
  expect((await ask("/health", app.app)).body.problems).toEqual([
    "the indexer waits: the disk is full",
  ]);
  await app.close();
});

test.each(["refuses", "is silent"])(
  "a node that %s is named, and the chain is offline",
  async (fault) => {
    const dead = await startScriptedNode();
    const app = await createTestApp({ sql: server.sql, nodeUrl: dead.url });
    if (fault === "refuses") await dead.stop();
    else dead.fail({ effect: { kind: "stall" } });
    const problem = expect.stringMatching(
      /^no node answers \(.+\); see whether it runs, and where RPC_URL leads$/,
    );
    expect((await ask("/health", app.app)).body).toMatchObject({
      status: "not ready",
      problems: [problem],
    });
    const [entry] = (await ask("/v2/chainlist", app.app)).body.result;
    expect(entry).toMatchObject({ status: 0, comment: problem });
    await app.close();
    await dead.stop();
  },
);

test("/health reports how the index is doing", async () => {
  await setSyncState(server.sql, { generation: 4 });
  expect(await ask("/health")).toEqual({
    status: 200,
    body: {
      status: "ready",
      problems: [],
      version: "0.0.0-test",
      commit: "c0".repeat(20),
      chainId: 31337,
      database: { reachable: true },
      head: { number: 1, hash: blockHash(1), timestamp: blockTime(1) },
      nodeHead: 3,
      lag: 2,
      gaps: 0,
      generation: 4,
      traced: true,
      indexer: { phase: "following", nodeHead: 3 },
      indexerAgeSeconds: expect.any(Number),
      nodes: [expect.objectContaining({ node: "node 1" })],
      verification: { clients: 0, pending: 0, running: 0, waitSeconds: 0 },
    },
  });
});

test("/health asked by many at once asks the database once", async () => {
  let statements = 0;
  const sql = timeStatements(server.sql, () => {
    statements++;
    return () => {};
  });
  const crowded = await createTestApp({ sql });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => crowded.app.inject("/health/ready")),
  );
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(
    Array(20).fill(answers[0]?.statusCode),
  );
  expect(statements).toBe(1);
  await crowded.app.inject("/health/ready");
  expect(statements).toBe(2);
  await crowded.close();
});

test("/health answers on an empty database", async () => {
  await server.sql`TRUNCATE blocks, daily_statistics, sync_state, indexer_status`;
  const { status, body } = await ask("/health");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    status: "not ready",
    problems: ["the first synchronisation is running", "no indexer has reported yet"],
    head: { number: null, hash: null, timestamp: null },
    lag: null,
    gaps: null,
  });
});
