import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compareDatabase } from "../support/compare/compare.ts";
import { startTestIndexer, type TestIndexer } from "../support/indexer.ts";
import { createJsonRpc } from "../support/oracle/json-rpc.ts";
import { createOracleReader } from "../support/oracle/oracle.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { createRandom } from "../support/world/random.ts";
import { deployWorld, type World } from "../support/world/world.ts";
import { type Front, startFront } from "./front.ts";
import { type Geth, startGeth } from "./geth.ts";

describe("an indexer on geth", () => {
  let geth: Geth;
  let front: Front;
  let world: World;

  beforeAll(async () => {
    geth = await startGeth();
    front = await startFront(geth.url);
    world = await deployWorld(front.url);
  });

  afterAll(async () => {
    await front?.stop();
    await geth?.stop();
  });

  async function indexed(
    finalityDepth: number,
    during: (indexer: TestIndexer, database: TestDatabase) => Promise<void>,
  ): Promise<string[]> {
    const database = await createTestDatabase();
    const indexer = startTestIndexer({
      databaseUrl: database.url,
      rpcUrls: [geth.url],
      finalityDepth,
      proofs: true,
    });
    try {
      await during(indexer, database);
      const oracle = await createOracleReader(geth.url).read();
      await indexer.reach(oracle.head.hash);
      const { proofs, accepted } = indexer.status();
      expect(accepted).toEqual({});
      expect(Object.values(proofs).map(({ unproven, off }) => ({ unproven, off }))).toEqual(
        Object.keys(proofs).map(() => ({ unproven: 0, off: null })),
      );
      return await compareDatabase(database.sql, oracle);
    } finally {
      await indexer.stop();
      await database.drop();
    }
  }

  it("holds what the node has when it followed the head, every block proven", async () => {
    expect(await indexed(1_000_000, () => world.everything())).toEqual([]);
  });

  it("holds what the node has when it backfilled", async () => {
    expect(await indexed(0, async () => {})).toEqual([]);
  });

  it("follows debug_setHead to any depth", async () => {
    const rpc = createJsonRpc(geth.url);
    const random = createRandom(8);
    const differences = await indexed(1_000_000, async (indexer) => {
      for (const depth of [1, 3, 10]) {
        const { number, hash } = await rpc.request<{ number: `0x${string}`; hash: string }>(
          ...(["eth_getBlockByNumber", "latest", false] as const),
        );
        await indexer.reach(hash);
        await rpc.request("debug_setHead", `0x${(Number(number) - depth).toString(16)}`);
        await world.step(random);
      }
      // Removed transactions wait again, and are mined when geth gets to them.
      const isAllMined = async () =>
        Number((await rpc.request<{ pending: string }>("txpool_status")).pending) === 0;
      await vi.waitUntil(isAllMined, { timeout: 60_000, interval: 200 });
    });
    expect(differences).toEqual([]);
  });
});
