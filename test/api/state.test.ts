import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { onOneState, type Read, readHeadNumber, type Task } from "../../src/api/state.ts";
import { ChainError } from "../../src/core/errors.ts";
import type { Queryable } from "../../src/db/client.ts";
import { blockHash, blockTime, publish, setSyncState } from "../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.sql`TRUNCATE blocks, sync_state`;
  await publish(database.sql, { blocks: [{ number: 3 }] });
});

function task<Result>(run: (read: Read) => Promise<Result>, servedWhileLoading = false) {
  return { servedWhileLoading, run } satisfies Task<Result>;
}

async function headNumber(_sql: Queryable, head: Promise<{ number: number }>) {
  return (await head).number;
}

async function newestBlock(sql: Queryable): Promise<number> {
  const [row] = await sql<{ number: number }[]>`SELECT max(number) AS number FROM blocks`;
  return row?.number ?? -1;
}

async function failingStatement(sql: Queryable, statement: string): Promise<number> {
  await sql.unsafe(statement);
  return 0;
}

test("gives the head that everything was read at", async () => {
  const { outcomes, head } = await onOneState(database.sql, [task((read) => read(headNumber))]);
  expect(outcomes).toEqual([{ status: "fulfilled", value: 3 }]);
  expect(head).toEqual({
    number: 3,
    hash: blockHash(3),
    timestampSeconds: blockTime(3),
    generation: 0,
  });
});

test("all parts see one state, however the head moves between their reads", async () => {
  let moved: Promise<void> | undefined;
  const move = () => {
    moved ??= publish(database.sql, { blocks: [{ number: 4 }] });
    return moved;
  };
  // The first opens the snapshot before the head moves.
  const first = Promise.withResolvers<void>();
  const opener = task((read) =>
    read(async (sql, head) => {
      await head;
      first.resolve();
      await move();
      return [(await head).number, await newestBlock(sql)];
    }),
  );
  const late = task(async (read) => {
    await first.promise;
    await move();
    return read(async (sql, head) => [(await head).number, await newestBlock(sql)]);
  });
  const { outcomes, head } = await onOneState(database.sql, [opener, late, late]);
  expect(outcomes.map((outcome) => outcome.status === "fulfilled" && outcome.value)).toEqual([
    [3, 3],
    [3, 3],
    [3, 3],
  ]);
  expect(head?.number).toBe(3);
});

test("keeps no transaction open while a part asks elsewhere", async () => {
  const openTransactions = async () => {
    const [row] = await database.sql<{ count: number }[]>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'idle in transaction'`;
    return row?.count;
  };
  const { outcomes } = await onOneState(database.sql, [
    task(async (read) => {
      await read(headNumber);
      while ((await openTransactions()) !== 0);
      return "done";
    }),
  ]);
  expect(outcomes).toEqual([{ status: "fulfilled", value: "done" }]);
});

test("a part reads once: two reads could be of two states", async () => {
  const { outcomes } = await onOneState(database.sql, [
    task(async (read) => {
      await read(headNumber);
      return read(headNumber);
    }),
  ]);
  expect(outcomes[0]).toMatchObject({ status: "rejected", reason: { name: "TypeError" } });
});

test("nothing is told of the index where nothing was read", async () => {
  const { outcomes, head } = await onOneState(database.sql, [task(async () => 1)]);
  expect([outcomes, head]).toEqual([[{ status: "fulfilled", value: 1 }], undefined]);
});

test("while the first load runs only what may be is answered", async () => {
  await setSyncState(database.sql, { indexed: false });
  const { outcomes } = await onOneState(database.sql, [
    task((read) => read(headNumber)),
    task((read) => read(headNumber), true),
  ]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { httpStatus: 503 } },
    { status: "fulfilled", value: 3 },
  ]);
});

test("one part's failed statement fails no other part", async () => {
  const { outcomes, head } = await onOneState(database.sql, [
    task((read) => read((sql) => failingStatement(sql, `SELECT 1 / 0`))),
    task((read) => read(newestBlock)),
    task((read) => read(headNumber)),
  ]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { code: "22012" } },
    { status: "fulfilled", value: 3 },
    { status: "fulfilled", value: 3 },
  ]);
  expect(head?.number).toBe(3);
});

test.each(["block-replaced", "block-unknown"])(
  "repeats all parts when the node says %s, and once only",
  async (code) => {
    const failing = (times: number) => {
      let runs = 0;
      return task(async (read) => {
        const number = await read(headNumber);
        if (++runs > times) return number;
        await publish(database.sql, { blocks: [{ number: (number ?? 0) + 1 }] });
        throw new ChainError(code, "gone", { retryable: true });
      });
    };
    const again = await onOneState(database.sql, [failing(1), task((read) => read(headNumber))]);
    expect(again.outcomes).toEqual([
      { status: "fulfilled", value: 4 },
      { status: "fulfilled", value: 4 },
    ]);
    expect(again.head?.number).toBe(4);
    const refused = await onOneState(database.sql, [failing(2)]);
    expect(refused.outcomes).toMatchObject([
      {
        status: "rejected",
        reason: {
          httpStatus: 503,
          message: "The chain was reorganised meanwhile, please try again",
        },
      },
    ]);
  },
);

test("lets other failures through", async () => {
  const error = new ChainError("timeout", "slow", { retryable: true });
  const { outcomes } = await onOneState(database.sql, [
    task(async () => {
      throw error;
    }),
  ]);
  expect(outcomes).toEqual([{ status: "rejected", reason: error }]);
});

test("a database that is away fails every part that reads", async () => {
  const { outcomes } = await onOneState(database.sql, [
    task((read) =>
      read((sql) => failingStatement(sql, `SELECT pg_terminate_backend(pg_backend_pid())`)),
    ),
    task((read) => read(newestBlock)),
    task(async () => 1),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

test("before the first block nothing is read but the head's number", async () => {
  await database.sql`TRUNCATE blocks, sync_state`;
  const { outcomes, head } = await onOneState(database.sql, [
    task((read) => read(newestBlock)),
    task(readHeadNumber),
  ]);
  expect(outcomes).toMatchObject([
    {
      status: "rejected",
      reason: { httpStatus: 503, message: "Chain is indexing now, try again later" },
    },
    { status: "fulfilled", value: 0 },
  ]);
  expect(head).toBeUndefined();
});
