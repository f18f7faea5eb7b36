import { afterAll, beforeAll, expect, test } from "vitest";
import { copyInto, copyTable, encodeRows } from "../../src/db/copy.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await database.drop();
});

const amounts = copyTable("amounts", { position: "int4", amount: "numeric" });

test("copies integers of every size exactly", async () => {
  const edges = Array.from({ length: 78 }, (_, digits) => 10n ** BigInt(digits));
  const values = [
    0n,
    29_903_842_017_456_903n,
    9_999_999_999_999_999n,
    2n ** 53n + 1n,
    2n ** 256n - 1n,
    ...edges.flatMap((edge) => [edge - 1n, edge, edge + 1n, edge * 9n + 7n]),
  ].filter((value) => value < 2n ** 256n);
  const { sql } = database;
  await sql`CREATE TABLE amounts (position integer PRIMARY KEY, amount numeric(78,0) NOT NULL)`;
  const document = encodeRows(
    amounts,
    values.map((amount, position) => ({ position, amount })),
  );
  await sql.begin((transaction) => copyInto(transaction, amounts, document));
  const rows = await sql<{ amount: string }[]>`SELECT amount FROM amounts ORDER BY position`;
  expect(rows.map(({ amount }) => BigInt(amount))).toEqual(values);
});
