import { expect, it } from "vitest";
import { writeIndexerStatus } from "../../src/store/sync-state.ts";
import { createTestDatabase } from "../support/postgres.ts";

it("a status with characters that PostgreSQL refuses is kept without them", async () => {
  const { sql, drop } = await createTestDatabase();
  try {
    await writeIndexerStatus(sql, { phase: "waiting", reason: "a node said \0 and \ud800" });
    expect(await sql`SELECT status FROM indexer_status`).toEqual([
      { status: { phase: "waiting", reason: "a node said   and \ufffd" } },
    ]);
  } finally {
    await drop();
  }
});
