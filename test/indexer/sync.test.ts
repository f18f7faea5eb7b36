import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer } from "../support/indexer.ts";
import { createOracleReader, type OracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { deployWorld, type World } from "../support/world/world.ts";

describe("an indexer on a real chain with everything on it", () => {
  let anvil: Anvil;
  let world: World;
  let database: TestDatabase;
  let reader: OracleReader;

  beforeAll(async () => {
    anvil = await startAnvil();
    reader = createOracleReader(anvil.url);
    world = await deployWorld(anvil.url);
  });

  afterAll(() => anvil?.stop());

  async function index(options: { finalityDepth: number; during?: () => Promise<void> }) {
    database = await createTestDatabase();
    const indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: [anvil.url],
      finalityDepth: options.finalityDepth,
    });
    try {
      await options.during?.();
      const oracle = await reader.read();
      await indexer.reach(oracle.head.hash);
      return await compareDatabase(database.sql, oracle);
    } finally {
      await indexer.stop();
      await database.drop();
    }
  }

  it("holds what the node has when it followed the head block by block", async () => {
    expect(await index({ finalityDepth: 1_000_000, during: () => world.everything() })).toEqual([]);
  });

  it("holds what the node has when it backfilled the whole chain", async () => {
    expect(await index({ finalityDepth: 0 })).toEqual([]);
  });

  it("holds what the node has when it backfilled a part and followed the rest", async () => {
    expect(await index({ finalityDepth: 20 })).toEqual([]);
  });
});
