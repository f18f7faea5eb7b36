import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import pino from "pino";
import { createSql } from "../../../src/db/client.ts";
import { startEmbeddedPostgres } from "../../../src/db/embedded/embedded.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { startTestIndexer } from "../indexer.ts";
import { startScriptedNode } from "../scripted-node.ts";
import { releaseChain } from "./chain.ts";
import { RELEASES, readData } from "./data.ts";

/** Keeps what this version makes of the chain of all releases, for tests of later ones. */
export async function keepRelease(release: string): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-release-"));
  const server = await startEmbeddedPostgres({
    folder: path.join(folder, "postgres"),
    log: pino({ level: "silent" }),
    durable: false,
  });
  const sql = createSql(server.url);
  const node = await startScriptedNode({ chain: releaseChain() });
  try {
    await migrate(sql);
    const indexer = startTestIndexer({ databaseUrl: server.url, rpcUrls: [node.url] });
    await indexer.reach(node.chain.head.block.hash);
    await indexer.stop();
    const file = path.join(RELEASES, `${release}.json.gz`);
    await writeFile(file, gzipSync(JSON.stringify(await readData(sql)), { level: 9 }));
  } finally {
    await node.stop();
    await sql.end();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}
