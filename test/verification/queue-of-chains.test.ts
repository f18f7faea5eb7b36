import pino from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSql, type Sql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { insertJob, type JobInsertion } from "../../src/store/contracts/verification-jobs.ts";
import { startQueue } from "../../src/verification/jobs/queue.ts";
import { createGuid, DEFAULT_JOB_LIMITS } from "../../src/verification/jobs/submit.ts";
import { createWorkerPool } from "../../src/verification/process/pool.ts";
import { DEFAULT_LIMITS } from "../../src/verification/process/worker-process.ts";
import { bundledCatalogue } from "../support/bundled-verifier.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

const SCHEMAS = ["north", "south"];
const LIMIT = DEFAULT_JOB_LIMITS.waiting;

let database: TestDatabase;
let north: Sql;
let south: Sql;
let addresses = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const chainOf = async (schema: string) => {
    const sql = createSql(database.url, { schema, connections: 1 });
    await migrate(sql, schema);
    return sql;
  };
  [north, south] = [await chainOf("north"), await chainOf("south")];
});
afterAll(async () => {
  await Promise.all([north.end(), south.end()]);
  await database.drop();
});

/** Adds a job for an address of its own. */
function add(sql: Sql, client: number): Promise<JobInsertion> {
  const address = `0x${(++addresses).toString(16).padStart(40, "0")}` as const;
  const guid = createGuid(address);
  const job = { guid, address, compiler: "solc", compilerVersion: "v0.8.37", request: "{}" };
  const hash = `0x${client.toString(16).padStart(64, "0")}` as const;
  return insertJob(sql, { ...job, client: hash }, DEFAULT_JOB_LIMITS, SCHEMAS);
}

async function count(sql: Sql, state: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    SELECT count(*) FROM verification_jobs WHERE state = ${state}`;
  return row.count;
}

test("the limits of waiting jobs are for all chains together, and room is made on any of them", async () => {
  for (let job = 0; job < DEFAULT_JOB_LIMITS.waitingOfClient; job++) {
    expect(await add(job % 2 === 0 ? north : south, 1)).toBe("added");
  }
  expect(await add(north, 1)).toBe("client-full");
  expect(await add(south, 1)).toBe("client-full");
  for (
    let client = 2;
    (await count(north, "pending")) + (await count(south, "pending")) < LIMIT;
    client++
  ) {
    expect(await add(north, client)).toBe("added");
  }
  // The newest job of the client with most of them stands on the other chain or on this one.
  const southern = await count(south, "pending");
  const newcomers = [1001, 1002, 1003, 1004];
  for (const client of newcomers) expect(await add(south, client)).toBe("displaced");
  expect((await count(north, "failed")) + (await count(south, "failed"))).toBe(newcomers.length);
  expect(await count(north, "failed")).toBeGreaterThan(0);
  expect((await count(north, "pending")) + (await count(south, "pending"))).toBe(LIMIT);
  expect(await count(south, "pending")).toBeGreaterThan(southern);
  expect(await add(south, 1001)).toBe("displaced");
});

describe("a chain whose table does not answer", () => {
  let queue: ReturnType<typeof startQueue>;
  beforeEach(async () => {
    for (const sql of [north, south]) await sql`DELETE FROM verification_jobs`;
    const log = pino({ level: "silent" });
    const workers = createWorkerPool(DEFAULT_LIMITS);
    queue = startQueue({ catalogue: bundledCatalogue, workers, concurrency: 1, log });
    // The jobs here cannot be read: they end as soon as they have begun.
    queue.add({ schema: "north", sql: north, chain: {} as never, log });
    queue.add({ schema: "south", sql: south, chain: {} as never, log });
    return () => queue.stop();
  });
  const PATIENCE = { timeout: 30_000 };
  const begun = async (sql: Sql) =>
    (await sql`SELECT FROM verification_jobs WHERE attempts > 0`).count;

  test("for it is locked keeps no other chain from submissions and turns, and comes back", async () => {
    await database.sql.begin(async (blocker) => {
      await blocker`LOCK TABLE north.verification_jobs IN ACCESS EXCLUSIVE MODE`;
      expect(await add(south, 1)).toBe("added");
      await expect.poll(() => begun(south), PATIENCE).toBe(1);
      await expect.poll(() => queue.schemas(), PATIENCE).toEqual(["south"]);
    });
    expect(await add(north, 1)).toBe("added");
    await expect.poll(() => begun(north), PATIENCE).toBe(1);
    expect(queue.schemas()).toEqual(["north", "south"]);
  });

  test("for it is missing keeps no other chain from submissions and turns, and comes back", async () => {
    await database.sql`ALTER TABLE north.verification_jobs RENAME TO away`;
    expect(await add(south, 1)).toBe("added");
    await expect.poll(() => begun(south), PATIENCE).toBe(1);
    await database.sql`ALTER TABLE north.away RENAME TO verification_jobs`;
    expect(await add(north, 1)).toBe("added");
    await expect.poll(() => begun(north), PATIENCE).toBe(1);
  });
});
