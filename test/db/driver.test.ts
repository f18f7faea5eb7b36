import { once } from "node:events";
import net from "node:net";
import v8 from "node:v8";
import vm from "node:vm";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sleep } from "../../src/core/async.ts";
import { createSql, type Queryable, type Sql, type Transaction } from "../../src/db/client.ts";
import { copyInto, copyTable, encodeRows } from "../../src/db/copy.ts";
import { timeStatements } from "../../src/db/statements.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

// Repairs of src/db/driver/driver.ts, one by one. lost-connections.test.ts covers that a new
// connection waits for the lost one's unsent data.

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = createSql(database.url, { connections: 1 });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

test("the driver leaves Nagle's delay on: ours opens sockets without it", async () => {
  const connect = vi.spyOn(net, "connect");
  const own = createSql(database.url, { connections: 1 });
  await own`SELECT 1`;
  await own.end();
  expect(connect.mock.calls.map(([options]) => options)).toEqual([
    expect.objectContaining({ noDelay: true }),
  ]);
  connect.mockRestore();
});

test.each([199, 200, 201])(
  "the driver shares a connection that a BEGIN has filled: not behind %i statements",
  async (waiting) => {
    const own = createSql(database.url, { connections: 2 });
    await Promise.all([own`SELECT pg_sleep(0.1)`, own`SELECT pg_sleep(0.1)`]);
    const alone = Array.from({ length: waiting }, () => own`SELECT 1`.execute());
    const together = Array.from({ length: 5 }, () => own.begin((inside) => inside`SELECT 1`));
    await Promise.all([...alone, ...together]);
    await own.end({ timeout: 1 });
  },
);

/** Changes every socket that is opened while `run` runs, before the driver's repairs see it. */
async function withSockets(
  change: (socket: net.Socket) => void,
  run: () => Promise<void>,
): Promise<void> {
  const { connect } = net;
  const opening = vi.spyOn(net, "connect").mockImplementation(((options: net.TcpNetConnectOpts) => {
    const socket = connect(options);
    change(socket);
    return socket;
  }) as typeof connect);
  await run().finally(() => opening.mockRestore());
}

test("the driver shares a connection whose socket a BEGIN has filled: ours does not", async () => {
  const alwaysFull = (socket: net.Socket): void => {
    const write = socket.write.bind(socket);
    socket.write = ((...values: Parameters<typeof write>) => {
      write(...values);
      return false;
    }) as typeof write;
  };
  await withSockets(alwaysFull, async () => {
    const own = createSql(database.url, { connections: 1 });
    await own`SELECT 1`;
    // The driver writes to the socket when it has gathered 1,024 bytes: with one of these the BEGIN is what fills them.
    for (let length = 980; length < 1_024; length++) {
      const first = own.unsafe(`SELECT 1 --${"x".repeat(length)}`).execute();
      await own.begin((inside) => inside`SELECT 1`);
      await first;
    }
    await own.end({ timeout: 1 });
  });
});

/** Pieces written to the sockets meanwhile, and `ANSWER` for received data. */
async function writtenBy(run: (own: Sql) => Promise<unknown>): Promise<string[]> {
  const pieces: string[] = [];
  const record = (socket: net.Socket): void => {
    const write = socket.write.bind(socket);
    socket.write = ((chunk: Buffer, ...values: never[]) => {
      pieces.push(chunk.toString("latin1"));
      return write(chunk, ...values);
    }) as typeof write;
    socket.on("data", () => pieces.push("ANSWER"));
  };
  await withSockets(record, async () => {
    const own = createSql(database.url, { connections: 2 });
    await own`SELECT 1`;
    pieces.length = 0;
    await run(own);
    await own.end({ timeout: 1 });
  });
  return pieces;
}

describe("a transaction that only reads", () => {
  test("it sees one state, and gives its connection back", async () => {
    await database.sql`CREATE TABLE seen (n int)`;
    const own = createSql(database.url, { connections: 1 });
    for (let round = 0; round < 3; round++) {
      const counts = await own.begin(
        "ISOLATION LEVEL REPEATABLE READ READ ONLY",
        async (inside) => {
          const [before] = await inside<{ n: number }[]>`SELECT count(*)::int AS n FROM seen`;
          await database.sql`INSERT INTO seen VALUES (${round})`;
          const [after] = await inside<{ n: number }[]>`
          SELECT count(*)::int AS n FROM seen WHERE n <= ${100}`;
          return [before?.n, after?.n];
        },
      );
      expect(counts).toEqual([round, round]);
    }
    await own.end({ timeout: 1 });
  });

  test("does not begin where its BEGIN fails", async () => {
    const own = createSql(database.url, { connections: 1 });
    const read = vi.fn();
    await expect(own.begin("READ ONLY NONSENSE", read)).rejects.toThrow("syntax error");
    expect(read).not.toHaveBeenCalled();
    expect([...(await own`SELECT 1 AS one`)]).toEqual([{ one: 1 }]);
    expect(
      await own.begin("READ ONLY", async (inside) => [...(await inside`SELECT 2 AS two`)]),
    ).toEqual([{ two: 2 }]);
    await own.end({ timeout: 1 });
  });

  test("it fails with its connection, also with the first", async () => {
    const nowhere = createSql("postgres://nobody@127.0.0.1:1/none", { connections: 1 });
    await expect(nowhere.begin("READ ONLY", (inside) => inside`SELECT 1`)).rejects.toThrow(
      "ECONNREFUSED",
    );
    await nowhere.end({ timeout: 1 });
    const lost = sql.begin("READ ONLY", async (inside) => {
      await endSession(inside);
      await inside`SELECT 1`;
    });
    await expect(lost).rejects.toThrow();
    await askAgain();
  });
});

/** Ends the session of a transaction from outside. */
async function endSession(transaction: Transaction): Promise<void> {
  const [backend] = await transaction<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  await database.sql`SELECT pg_terminate_backend(${backend?.pid ?? 0})`;
}

test("the driver ends the process when a transaction loses its connection: ours rejects", async () => {
  const lost = sql.begin(async (transaction) => {
    const [backend] = await transaction<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    const waiting = transaction`SELECT pg_sleep(60)`;
    await Promise.all([
      waiting,
      database.sql`SELECT pg_terminate_backend(${backend?.pid ?? 0}, 1000)`,
    ]);
  });
  await expect(lost).rejects.toThrow();
  await askAgain();
});

/** A lost connection is replaced without another failure, and without a wait for the connect timeout of 10 s. */
async function askAgain(): Promise<void> {
  expect([...(await sql`SELECT 1 AS one`)]).toEqual([{ one: 1 }]);
}

test("the driver connects for ever where connections are closed without a word: ours tells", async () => {
  let connections = 0;
  const server = net.createServer((socket) => {
    connections++;
    socket.on("data", () => socket.end());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as net.AddressInfo;
  const own = createSql(`postgres://127.0.0.1:${port}/none`, { connections: 1 });
  for (const asking of [1, 2, 3]) {
    await expect(own`SELECT 1`).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    expect(connections).toBe(asking);
  }
  await own.end();
  server.close();
});

test("the driver never answers what is sent between the error of a socket and its end: ours does", async () => {
  let own: Sql | undefined;
  let socket: net.Socket | undefined;
  const asked: Promise<unknown>[] = [];
  const askInBetween = (opened: net.Socket): void => {
    socket = opened.on("error", () => {
      if (own) asked.push(own`SELECT 1`.then(() => {}));
    });
  };
  await withSockets(askInBetween, async () => {
    own = createSql(database.url, { connections: 1 });
    await own`SELECT 1`;
    const waiting = own`SELECT pg_sleep(60)`.execute();
    await sleep(20);
    socket?.destroy(new Error("reset"));
    await expect(waiting).rejects.toThrow("reset");
    await Promise.allSettled(asked);
    expect(asked).toHaveLength(1);
    expect([...(await own`SELECT 1 AS one`)]).toEqual([{ one: 1 }]);
    await own.end({ timeout: 1 });
  });
});

test.each([0, 1, 5, 19, 20, 21, 100])(
  "the driver sends late statements of a lost transaction: ours refuses them %i ms later",
  async (ms) => {
    await database.sql`CREATE TABLE IF NOT EXISTS late (ms int)`;
    let late: Promise<unknown> | undefined;
    const lost = sql.begin(async (transaction) => {
      await endSession(transaction);
      await sleep(ms);
      late = (async () => {
        await transaction`INSERT INTO late VALUES (${ms})`;
        await transaction`INSERT INTO late VALUES (${ms})`;
      })();
      await late;
    });
    await expect(lost).rejects.toThrow();
    await askAgain();
    await vi.waitFor(() => expect(late).toBeDefined());
    await expect(late).rejects.toThrow();
    expect([...(await sql`SELECT * FROM late`)]).toEqual([]);
  },
);

test("the driver rolls back whoever has the connection after a lost transaction: ours nobody", async () => {
  let stillRunning: Promise<void> | undefined;
  const lost = sql.begin(async (transaction) => {
    stillRunning = sleep(300);
    await endSession(transaction);
    await stillRunning;
    throw new Error("too late");
  });
  await expect(lost).rejects.toThrow();
  await askAgain();
  const kept = sql.begin(async (transaction) => {
    await transaction`CREATE TABLE kept ()`;
    await stillRunning;
    await sleep(50);
  });
  await kept;
  expect([...(await sql`SELECT to_regclass('kept') IS NOT NULL AS kept`)]).toEqual([
    { kept: true },
  ]);
});

describe("the driver leaves holes in the result behind a statement that failed late", () => {
  /** Fails behind its fourth row. */
  function failLate() {
    return sql`SELECT 10 / (5 - n) FROM generate_series(1, 10) n`;
  }

  async function collect(rows: number) {
    const found: unknown[] = [];
    await sql`SELECT n FROM generate_series(1, 3) n`.cursor(rows, (part) => {
      found.push(...part);
    });
    return found;
  }

  const three = [{ n: 1 }, { n: 2 }, { n: 3 }];

  test("not in the next one", async () => {
    await expect(failLate()).rejects.toThrow("division by zero");
    expect([...(await sql`SELECT n FROM generate_series(1, 3) n`)]).toEqual(three);
    await expect(failLate()).rejects.toThrow("division by zero");
    expect([...(await sql.unsafe("SELECT n FROM generate_series(1, 3) n"))]).toEqual(three);
  });

  test("not in the first part of one that is read in parts", async () => {
    for (const rows of [2, 100]) {
      await expect(failLate()).rejects.toThrow("division by zero");
      expect(await collect(rows)).toEqual(three);
    }
  });

  test("not behind a reader of parts that throws", async () => {
    for (const rows of [2, 100]) {
      const reading = sql`SELECT n FROM generate_series(1, 3) n`.cursor(rows, () => {
        throw new RangeError("enough");
      });
      await expect(reading).rejects.toThrow("enough");
      expect([...(await sql`SELECT n FROM generate_series(1, 3) n`)]).toEqual(three);
    }
  });

  test("an empty result stays empty, a count stays a count", async () => {
    await expect(failLate()).rejects.toThrow("division by zero");
    expect([...(await sql`SELECT WHERE false`)]).toEqual([]);
    expect((await sql`SELECT 1`).count).toBe(1);
  });
});

test("the driver takes free connections in turns: ours takes the first", async () => {
  const own = createSql(database.url, { connections: 3 });
  const backend = async (inside: Queryable) =>
    (await inside<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`)[0]?.pid;
  const together = () => Promise.all([1, 2, 3].map(() => own.begin(backend)));
  const all = await together();
  expect(new Set(all).size).toBe(3);
  for (let round = 0; round < 3; round++) {
    expect(await backend(own)).toBe(all[0]);
    expect(await own.begin(backend)).toBe(all[0]);
    expect(await together()).toEqual(all);
  }
  await own.end({ timeout: 1 });
});

describe("the driver waits within a COPY, and drops what goes wrong in it: ours does not", () => {
  const numbers = copyTable("numbers", { int4: ["n"] });
  const document = encodeRows(numbers, [{ n: 1 }]);
  const twoColumns = encodeRows(copyTable("numbers", { int4: ["n", "m"] }), [{ n: 1, m: 2 }]);
  beforeAll(async () => {
    await sql`CREATE TABLE numbers (n int4)`;
  });

  test("rows and what comes next go with the COPY, and nothing behind them", async () => {
    const pieces = await writtenBy((own) =>
      own.begin((inside) =>
        Promise.all([
          copyInto(inside, numbers, document),
          copyInto(inside, numbers, document),
          inside`DELETE FROM numbers`,
        ]),
      ),
    );
    const written = pieces.join("\n");
    expect(written).toMatch(/COPY .*PGCOPY.*COPY .*PGCOPY.*DELETE/s);
    expect(/COPY .*DELETE/s.exec(written)?.[0]).not.toContain("ANSWER");
    expect(pieces.filter((piece) => piece.startsWith("f\0\0\0"))).toEqual([]);
  });

  test.each([
    [numbers, twoColumns, "row field count is 2, expected 1"],
    [copyTable("nowhere", { int4: ["n"] }), document, 'relation "nowhere" does not exist'],
  ])(
    "it rejects with the server's reason, whatever was sent behind it",
    async (table, sent, reason) => {
      const answers: PromiseSettledResult<unknown>[] = [];
      const copying = sql.begin(async (inside) => {
        const copies = [copyInto(inside, table, sent), copyInto(inside, numbers, document)];
        answers.push(...(await Promise.allSettled([...copies, inside`SELECT 1`])));
      });
      await expect(copying).rejects.toThrow(reason);
      expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      expect([...(await sql`SELECT count(*)::int FROM numbers`)]).toEqual([{ count: 0 }]);
    },
  );
});

describe("the driver keeps every text of a statement: ours so many", () => {
  const found = (own: Queryable, n: number, length: number) =>
    own<{ n: number }[]>`SELECT ${n}::int4 AS n ${own.unsafe(`/* ${n} ${"-".repeat(length)} */`)}`;
  const kept = async (own: Sql) => {
    const [row] = await own<{ texts: number; characters: number; longest: number }[]>`
      SELECT count(*)::int4 AS texts, sum(length(statement))::int4 AS characters,
        max(length(statement)) AS longest
      FROM pg_prepared_statements`;
    return row;
  };

  test("and answers the others all the same", async () => {
    const own = createSql(database.url, { connections: 1 });
    const numbers = Array.from({ length: 400 }, (_, index) => index);
    for (const n of [...numbers, ...numbers]) expect(await found(own, n, 2000)).toEqual([{ n }]);
    const { texts = 0, characters = 0 } = (await kept(own)) ?? {};
    expect(texts).toBeGreaterThan(200);
    expect(characters).toBeLessThanOrEqual(500_000);
    await own.end();
  });

  test("and none that is longer than those of our own", async () => {
    const own = createSql(database.url, { connections: 1 });
    const part = vi.fn();
    await found(own, 1, 6000).cursor(1, part);
    expect(part).toHaveBeenCalledWith([{ n: 1 }]);
    expect(await own.begin("read only", (inside) => found(inside, 2, 6000))).toEqual([{ n: 2 }]);
    expect((await kept(own))?.longest ?? 0).toBeLessThan(5000);
    await own.end();
  });
});

test("the driver does not tell when a query is sent and ended: ours does, once for each", async () => {
  const events: string[] = [];
  const watched = timeStatements(sql, () => {
    events.push("sent");
    return () => events.push("ended");
  });
  const part = watched`n > ${1}`;
  await watched`SELECT FROM generate_series(1, 3) n WHERE ${part}`;
  expect(events).toEqual(["sent", "ended"]);
});

describe("the driver keeps the rows of statements until a full collection: ours gives them free", () => {
  const rows = (client: Queryable) => client`
    SELECT repeat(md5(i::text), 5) AS a, repeat(md5(i::text), 5) AS b FROM generate_series(1, 300) i`;

  test.each<[string, (read: typeof rows) => PromiseLike<unknown>]>([
    ["alone", (read) => read(sql)],
    ["in a transaction", (read) => sql.begin("READ ONLY", (inside) => read(inside))],
    ["in parts", (read) => read(sql).cursor(50, () => {})],
  ])("%s", async (_name, ask) => {
    v8.setFlagsFromString("--expose-gc");
    const collect = vm.runInNewContext("gc") as (options?: { type: "minor" }) => void;
    const inUse = () => process.memoryUsage().heapUsed;
    await ask(rows);
    collect();
    const before = inUse();
    for (let count = 0; count < 30; count++) await ask(rows);
    // Objects that survive two of them count as old.
    collect({ type: "minor" });
    collect({ type: "minor" });
    // 30 times 115 KB of text, and their objects.
    expect(inUse() - before).toBeLessThan(1_000_000);
  });
});
