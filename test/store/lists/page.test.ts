import { afterAll, beforeAll, expect, test } from "vitest";
import { noteDistributed } from "../../../src/store/cluster/distributed-reads.ts";
import {
  type BlockBounds,
  direction,
  inPublishedBlocks,
  pageOfBlocks,
} from "../../../src/store/lists/page.ts";
import { setSyncState } from "../../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { sql } = database;
  await setSyncState(sql, { headNumber: 3 });
  await sql`CREATE TABLE listed AS SELECT n::bigint AS block_number, n::bigint AS other FROM generate_series(1, 5) n`;
});
afterAll(() => database.drop());

test.each<[BlockBounds | undefined, number[]]>([
  [undefined, [1, 2, 3]],
  [{}, [1, 2, 3]],
  [{ from: 2 }, [2, 3]],
  [{ to: 2 }, [1, 2]],
  [{ from: 2, to: 2 }, [2]],
  [{ from: 0, to: 9 }, [1, 2, 3]],
  [{ from: 4, to: 5 }, []],
])("blocks within %o are listed up to the head, both ends included", async (bounds, numbers) => {
  const { sql } = database;
  const rows = await sql<{ blockNumber: number }[]>`
    SELECT block_number FROM listed WHERE ${inPublishedBlocks(sql, bounds)} ORDER BY 1`;
  expect(rows.map((row) => row.blockNumber)).toEqual(numbers);
  const others = await sql<{ other: number }[]>`
    SELECT other FROM listed WHERE ${inPublishedBlocks(sql, bounds, "other")} ORDER BY 1`;
  expect(others.map((row) => row.other)).toEqual(numbers);
});

test("before the first block nothing is published", async () => {
  const { sql } = database;
  await setSyncState(sql, { headNumber: null });
  expect([...(await sql`SELECT FROM listed WHERE ${inPublishedBlocks(sql)}`)]).toEqual([]);
  await setSyncState(sql, { headNumber: 3 });
});

test.each(["asc", "desc"] as const)("rows come %s", async (order) => {
  const { sql } = database;
  const rows = await sql<{ other: number }[]>`
    SELECT other FROM listed ORDER BY other ${direction(sql, order)} LIMIT 1`;
  expect(rows[0]?.other).toBe(order === "asc" ? 1 : 5);
});

test.each([false, true])(
  "whole blocks are read for a page, on several servers: %s",
  async (isSpread) => {
    await database.sql.begin(async (sql) => {
      if (isSpread) noteDistributed(sql, 3);
      const rows = sql`SELECT block_number / 2 AS block, other FROM listed`;
      const order = { inIndex: sql`block`, order: sql`block, other DESC` };
      const page = sql<
        { other: number }[]
      >`${pageOfBlocks(sql, rows, order, { limit: 2, skip: 1 })}`;
      const { string } = await page.describe();
      // Citus drops the ties.
      expect(string.includes("TIES")).toBe(!isSpread);
      const listed = await sql<{ other: number }[]>`
      ${pageOfBlocks(sql, rows, order, { limit: 2, skip: 1 })}`;
      expect(listed.map(({ other }) => other)).toEqual([3, 2]);
    });
  },
);
