import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyInto, copyTable, encodeRows, type RowOf } from "../../src/db/copy.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

const samples = copyTable("samples", {
  int4: ["position"],
  "bytea?": ["data"],
  bool: ["flag"],
  int2: ["small"],
  int8: ["large"],
  "numeric?": ["amount"],
  text: ["label"],
  "int4[]": ["path"],
  "json?": ["extra"],
});

type Sample = RowOf<typeof samples>;

describe("rows copied in binary", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.sql`
      CREATE TABLE samples (position int4, data bytea, flag bool, small int2, large int8, amount numeric,
        label text, path int4[], extra json)`;
  });

  afterAll(() => database?.drop());

  async function roundTrip(rows: readonly Sample[]): Promise<Record<string, unknown>[]> {
    const { sql } = database;
    await sql`TRUNCATE samples`;
    await sql.begin((transaction) => copyInto(transaction, samples, encodeRows(samples, rows)));
    return sql`SELECT * FROM samples ORDER BY position`;
  }

  it("come back as they were, for values of every type and size", async () => {
    const quantity = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.bigInt({ min: 2n ** 53n - 10n, max: 2n ** 54n }),
      fc.nat(),
    );
    const sample = fc.record({
      data: fc.option(
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("hex")),
      ),
      flag: fc.boolean(),
      small: fc.integer({ min: -32_768, max: 32_767 }),
      large: fc.maxSafeInteger(),
      amount: fc.option(quantity),
      asHex: fc.boolean(),
      label: fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", "")),
      path: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { minLength: 1, maxLength: 50 }), async (drawn) => {
        const rows = drawn.map(
          ({ data, amount, asHex, ...rest }, position): Sample => ({
            ...rest,
            position,
            data: data === null ? null : `0x${data}`,
            amount: amount !== null && asHex ? `0x${amount.toString(16)}` : amount,
            extra: null,
          }),
        );
        const found = await roundTrip(rows);
        expect(found).toEqual(
          rows.map((row, index) => ({
            ...row,
            amount: drawn[index]?.amount?.toString() ?? null,
          })),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("keep JSON as it is written", async () => {
    const row: Sample = {
      position: 0,
      data: null,
      flag: true,
      small: 0,
      large: 0,
      amount: null,
      label: "",
      path: [],
      extra: '{"b":1,"a":[{}]}',
    };
    await roundTrip([row]);
    expect(await database.sql`SELECT extra::text FROM samples`).toEqual([{ extra: row.extra }]);
  });

  it("are refused when bytes are not whole or no hex", () => {
    const row = { data: "0xabc" } as unknown as Sample;
    expect(() => encodeRows(copyTable("x", { bytea: ["data"] }), [row as never])).toThrow(
      RangeError,
    );
    const other = { data: "0xzz" } as unknown as Sample;
    expect(() => encodeRows(copyTable("x", { bytea: ["data"] }), [other as never])).toThrow(
      RangeError,
    );
  });

  it.each([
    ["no value for a column that must have one", { amount: null }],
    ["a value left out", {}],
    ["a quantity that is none", { amount: "0xg" }],
    ["a quantity above 2^256-1", { amount: `0x1${"0".repeat(64)}` }],
    ["a number that is no safe integer", { amount: 1e300 }],
    ["a list for a quantity", { amount: [] }],
    ["a truth value for a quantity", { amount: true }],
  ])("are refused with %s", (_, row) => {
    const table = copyTable("x", { numeric: ["amount"] });
    expect(() => encodeRows(table, [row as never])).toThrow(RangeError);
  });

  it("are refused with a text that PostgreSQL does not take", () => {
    const table = copyTable("x", { text: ["label"] });
    expect(() => encodeRows(table, [{ label: "a\0b" }])).toThrow(RangeError);
  });

  it("leave the server's reason when it refuses them, and a connection that works", async () => {
    const { sql } = database;
    const copying = sql.begin((transaction) => copyInto(transaction, samples, Buffer.from("no")));
    await expect(copying).rejects.toThrow("COPY file signature not recognized");
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });

  it("fail without harm when the connection is lost in the middle", async () => {
    const { sql } = database;
    const rows = Array.from({ length: 200_000 }, (_, position) => ({ position }));
    const positions = copyTable("samples", { int4: ["position"] });
    const document = encodeRows(positions, rows);
    const copying = sql.begin(async (transaction) => {
      const [backend] = await transaction<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
      await sql`SELECT pg_terminate_backend(${backend?.pid ?? 0})`;
      await copyInto(transaction, positions, document);
    });
    await expect(copying).rejects.toThrow();
    expect(await sql`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  });
});
