import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  onOneState,
  type Read,
  type ReadQuery,
  readHeadNumber,
  type Task,
} from "../../../src/api/reading/snapshot.ts";
import { ChainError } from "../../../src/core/errors.ts";
import { createSql, type Queryable, type Sql } from "../../../src/db/client.ts";
import { timeStatements } from "../../../src/db/statements.ts";
import { blockHash, blockTime, publish, setSyncState } from "../../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

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

async function headNumber(_sql: Queryable, head: PromiseLike<{ number: number }>) {
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
    startBlock: 0,
    l1FeesFrom: null,
    indexId: expect.any(String),
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
  const late = task((read) =>
    read(async (sql, head) => {
      await first.promise;
      await move();
      return [(await head).number, await newestBlock(sql)];
    }),
  );
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

test("takes no connection while another part asks elsewhere, whether it reads afterwards or not", async () => {
  const one = createSql(database.url, { connections: 1 });
  onTestFinished(() => one.end({ timeout: 0 }));
  // Others need the connection meanwhile.
  const asked = async () => {
    await setImmediate();
    return newestBlock(one);
  };
  const { outcomes } = await onOneState(one, [
    task((read) => read(headNumber)),
    task(async (read) => (await asked()) + (await read(newestBlock))),
    task(asked),
  ]);
  expect(outcomes).toEqual([3, 6, 3].map((value) => ({ status: "fulfilled", value })));
});

describe("a query of one statement", () => {
  let sent = 0;
  let sql: Sql;
  beforeAll(async () => {
    sql = timeStatements(database.sql, () => {
      sent++;
      return () => {};
    });
  });
  beforeEach(async () => {
    // The state must be known to be a plain one.
    await onOneState(sql, [task((read) => read(headNumber))]);
    sent = 0;
  });

  function readOne<Found>(query: ReadQuery<Found>, servedWhileLoading = false) {
    return onOneState(sql, [task((read) => read(query, "one statement"), servedWhileLoading)]);
  }

  test("brings the head in that statement, and its rows as they are", async () => {
    const { outcomes, head } = await readOne(
      (only) => only`SELECT n AS number, NULL AS nothing FROM generate_series(9, 1, -1) n`,
    );
    const rows = Array.from({ length: 9 }, (_, index) => ({ number: 9 - index, nothing: null }));
    expect(JSON.stringify(outcomes)).toBe(JSON.stringify([{ status: "fulfilled", value: rows }]));
    expect([head?.number, sent]).toEqual([3, 1]);
  });

  test.each([
    ["no row", "WHERE false", []],
    ["one of nulls", "", [{ nothing: null }]],
  ])("may find %s", async (_what, condition, rows) => {
    const { outcomes, head } = await readOne(async (only) => [
      ...(await only`SELECT NULL AS nothing ${only.unsafe(condition)}`),
    ]);
    expect(outcomes).toEqual([{ status: "fulfilled", value: rows }]);
    expect([head?.number, sent]).toEqual([3, 1]);
  });

  test("may be about the head alone", async () => {
    const { outcomes, head } = await readOne(headNumber);
    expect([outcomes, head?.number, sent]).toEqual([[{ status: "fulfilled", value: 3 }], 3, 1]);
    const nothing = await readOne(async () => "nothing");
    expect([nothing.head?.number, sent]).toEqual([3, 2]);
  });

  test.each([
    ["two statements", async (one: Queryable) => newestBlock(one)],
    ["the head and then a statement", async (_one: Queryable, head: PromiseLike<unknown>) => head],
  ])("that turns out to be %s sees one state all the same", async (_what, first) => {
    let moved: Promise<void> | undefined;
    const { outcomes, head } = await readOne(async (one, served) => {
      await first(one, served);
      moved ??= publish(database.sql, { blocks: [{ number: 4 }] });
      await moved;
      return [(await served)?.number, await newestBlock(one)];
    });
    const number = head?.number;
    expect(outcomes).toEqual([{ status: "fulfilled", value: [number, number] }]);
  });

  describe.each([
    ["a new head", () => publish(database.sql, { blocks: [{ number: 4 }] })],
    ["a roll-back", () => setSyncState(database.sql, { generation: 1 })],
    ["nothing", async () => {}],
  ])("or of several that need one head, with %s in between", (between, happen) => {
    test.each([
      ["before the second", async (one: Queryable) => newestBlock(one)],
      ["after the head", async (_one: Queryable, served: PromiseLike<unknown>) => served],
    ])("%s", async (_when, first) => {
      let runs = 0;
      const { outcomes, head } = await onOneState(sql, [
        task((read) =>
          read(async (several, served) => {
            await first(several, served);
            if (runs++ === 0) await happen();
            return [(await served).number, await newestBlock(several)];
          }, "statements of one head"),
        ),
      ]);
      expect(outcomes).toEqual([{ status: "fulfilled", value: [head?.number, head?.number] }]);
      expect(runs).toBe(between === "nothing" ? 1 : 2);
      if (between === "nothing") expect(sent).toBe(2);
    });
  });

  test("that hides the failure of its second statement is read anew as well", async () => {
    const { outcomes } = await readOne(async (one) => {
      const before = await newestBlock(one);
      return [before, await newestBlock(one).catch(() => "failed")];
    });
    expect(outcomes).toEqual([{ status: "fulfilled", value: [3, 3] }]);
  });

  test("may be read in parts, by a cursor", async () => {
    const parts: number[] = [];
    await readOne((one) =>
      one`SELECT * FROM generate_series(1, 5)`.cursor(2, (part) => void parts.push(part.length)),
    );
    expect(parts).toEqual([2, 2, 1]);
  });

  test("fails with the statement's own error", async () => {
    const { outcomes } = await readOne((one) => one`SELECT 1 / 0`);
    expect(outcomes).toMatchObject([{ status: "rejected", reason: { code: "22012" } }]);
    expect(sent).toBe(1);
  });

  test("is refused once the indexes are gone, but for what may be asked then", async () => {
    await setSyncState(database.sql, { indexed: false });
    const { outcomes } = await readOne(newestBlock);
    expect(outcomes).toMatchObject([{ status: "rejected", reason: { httpStatus: 503 } }]);
    const allowed = await readOne(newestBlock, true);
    expect(allowed.outcomes).toEqual([{ status: "fulfilled", value: 3 }]);
  });

  test("waits for the first connection that is free, not behind a slow one", async () => {
    const two = createSql(database.url, { connections: 2 });
    onTestFinished(() => two.end());
    const readLocked = (key: number) =>
      onOneState(two, [
        task((read) =>
          read((one) => one`SELECT FROM pg_advisory_lock_shared(${key}::bigint)`, "one statement"),
        ),
      ]);
    await onOneState(two, [task((read) => read(headNumber))]);
    // The driver sends something behind prepared statements only.
    await Promise.all([readLocked(0), readLocked(0)]);
    const [slow, quick] = await Promise.all([lock(1), lock(2)]);
    const first = readLocked(1);
    const second = readLocked(2);
    const third = readLocked(3);
    await quick.release();
    await Promise.all([second, third]);
    await slow.release();
    await first;
  });

  /** An advisory lock, held by a session of its own. */
  async function lock(key: number): Promise<{ release(): Promise<void> }> {
    const holder = createSql(database.url, { connections: 1 });
    await holder`SELECT pg_advisory_lock(${key}::bigint)`;
    const release = () => holder.end();
    onTestFinished(release);
    return { release };
  }

  test("shares the snapshot of the other parts", async () => {
    const part = task((read) => read(newestBlock, "one statement"));
    const { outcomes } = await onOneState(sql, [part, part]);
    expect(outcomes).toEqual([
      { status: "fulfilled", value: 3 },
      { status: "fulfilled", value: 3 },
    ]);
    expect(sent).toBeGreaterThan(2);
  });
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

test("a client whose reads wait has half of the connections, and others do not wait for them", async () => {
  const { sql } = database;
  const ended: string[] = [];
  const read = async (caller: string, signal?: AbortSignal) => {
    const of = task((fromIndex) =>
      fromIndex((snapshot) => failingStatement(snapshot, "SELECT pg_sleep(0.2)")),
    );
    const { outcomes } = await onOneState(sql, [of], { caller, ...(signal && { signal }) });
    if (!signal) ended.push(caller);
    return outcomes[0]?.status;
  };
  const gone = AbortSignal.abort();
  const many = Array.from({ length: 2 * sql.options.max }, () => read("many"));
  const left = read("many", gone);
  expect(await read("one")).toBe("fulfilled");
  expect(ended.length).toBeLessThanOrEqual(Math.ceil(sql.options.max / 2) + 1);
  expect(new Set(await Promise.all(many))).toEqual(new Set(["fulfilled"]));
  expect(await left).toBe("rejected");
});
