import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { atServedHead } from "../../src/api/served-head.ts";
import { ChainError } from "../../src/core/errors.ts";
import { blockHash, blockTime, publish, setSyncState } from "../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.sql`TRUNCATE blocks, sync_state`;
});

const REFUSED = {
  httpStatus: 503,
  message: "The chain was reorganised meanwhile, please try again",
};

/** Work that is disturbed in its first `times` runs, and tells how often it ran. */
function disturbed(times: number, disturb: (run: number) => Promise<unknown>) {
  let runs = 0;
  return async () => {
    runs++;
    if (runs <= times) await disturb(runs);
    return runs;
  };
}

test("gives the work the head, and its result when nothing happened meanwhile", async () => {
  await publish(database.sql, { blocks: [{ number: 3 }] });
  const head = await atServedHead(database.sql, async (served) => served);
  expect(head).toEqual({
    number: 3,
    hash: blockHash(3),
    timestampSeconds: blockTime(3),
    generation: 0,
  });
});

test("does not mind that the head moves on", async () => {
  await publish(database.sql, { blocks: [{ number: 3 }] });
  const work = disturbed(1, () => publish(database.sql, { blocks: [{ number: 4 }] }));
  expect(await atServedHead(database.sql, work)).toBe(1);
});

test("repeats the work when the chain was rolled back meanwhile, and once only", async () => {
  await publish(database.sql, { blocks: [{ number: 3 }] });
  const rollBack = (generation: number) => setSyncState(database.sql, { generation });
  expect(await atServedHead(database.sql, disturbed(1, rollBack))).toBe(2);
  await setSyncState(database.sql, { generation: 0 });
  await expect(atServedHead(database.sql, disturbed(2, rollBack))).rejects.toMatchObject(REFUSED);
});

test.each(["block-replaced", "block-unknown"])(
  "repeats the work when the node says %s: the index has not followed it yet",
  async (code) => {
    await publish(database.sql, { blocks: [{ number: 3 }] });
    const fail = async () => {
      throw new ChainError(code, "gone", { retryable: true });
    };
    expect(await atServedHead(database.sql, disturbed(1, fail))).toBe(2);
    await expect(atServedHead(database.sql, disturbed(2, fail))).rejects.toMatchObject(REFUSED);
  },
);

test("lets other failures of the work through", async () => {
  await publish(database.sql, { blocks: [{ number: 3 }] });
  const error = new ChainError("timeout", "slow", { retryable: true });
  await expect(
    atServedHead(database.sql, async () => {
      throw error;
    }),
  ).rejects.toBe(error);
});

test("refuses before the first block", async () => {
  await expect(atServedHead(database.sql, async () => 1)).rejects.toMatchObject({
    httpStatus: 503,
    message: "No block is indexed yet, please try again later",
  });
});
