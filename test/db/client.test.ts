import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

describe("a database client", () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  it.each([
    ["text[]", ["", "NULL", null, 'a"b', "a\\b", "{,}", " ", "ü\n😀"]],
    ["bytea[]", ["0x", "0x00ff", null]],
    ["numeric[]", [String(2n ** 256n - 1n), "-1", null]],
    ["int2[]", [0, 255, null]],
    ["text[]", []],
  ])("sends %s as it is", async (type, elements) => {
    const { sql } = database;
    const parameter = elements as string[];
    const rows = await sql`
      SELECT element FROM unnest(${parameter}::${sql.unsafe(type)}) WITH ORDINALITY AS list (element, place)
      ORDER BY place`;
    expect(rows.map((row) => row["element"])).toEqual(elements);
  });

  it("sends the text of a list as it is", async () => {
    const [row] = await database.sql`SELECT array_length(${"{1,2}"}::numeric[], 1) AS length`;
    expect(row).toEqual({ length: 2 });
  });

  it("reads lists of integers as numbers", async () => {
    const [row] = await database.sql`
      SELECT '{}'::int4[] AS none, '{0,-7,2147483647}'::int4[] AS some, ARRAY[count(*)] AS counts`;
    expect(row).toEqual({ none: [], some: [0, -7, 2_147_483_647], counts: [1] });
  });
});
