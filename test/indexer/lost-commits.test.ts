import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pino } from "pino";
import { expect, it } from "vitest";
import { sleep } from "../../src/core/async.ts";
import { createSql } from "../../src/db/client.ts";
import { startEmbeddedPostgres } from "../../src/db/embedded/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { startScriptedNode } from "../support/scripted-node.ts";

// Commits are asynchronous: a crashing server may lose the last ones. It gets no queries meanwhile.

it("a server that crashes and loses its last commits gets them again", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-lost-"));
  const log = pino({ level: "silent" });
  const server = await startEmbeddedPostgres({ folder: path.join(folder, "postgres"), log });
  const sql = createSql(server.url, { connections: 1 });
  const node = await startScriptedNode();
  await migrate(sql);
  // Commits reach the disk later than usual.
  await sql`ALTER SYSTEM SET wal_writer_delay = '10s'`;
  await sql`SELECT pg_reload_conf()`;
  const indexer = startTestIndexer({ databaseUrl: server.url, rpcUrls: [node.url] });
  const heads = async () => sql<{ number: number }[]>`SELECT head_number AS number FROM sync_state`;
  try {
    node.chain.mine(3);
    await indexer.reach(node.chain.head.block.hash);
    await sql`CHECKPOINT`;
    node.chain.mine(1);
    await indexer.reach(node.chain.head.block.hash);
    // It reports its status before the crash, not after it.
    await sleep(1_500);
    const [victim] = await sql<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
    process.kill(victim.pid, "SIGKILL");
    // The first that is heard of the server is what the crash left.
    let left: { number: number }[] = [];
    while (left.length === 0) left = await heads().catch(() => []);
    expect(left, "the last commit was not lost").toEqual([{ number: 3 }]);
    node.chain.mine(1);
    await expect.poll(heads).toEqual([{ number: 5 }]);
    const blocks = await sql<{ number: number }[]>`SELECT number FROM blocks ORDER BY number`;
    expect(blocks.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await sql`SELECT sum(block_count)::int AS count FROM daily_statistics`).toEqual([
      { count: 6 },
    ]);
  } finally {
    await indexer.stop();
    await sql.end({ timeout: 1 });
    await node.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
