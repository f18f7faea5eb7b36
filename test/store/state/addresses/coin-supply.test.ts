import { afterAll, beforeAll, expect, test } from "vitest";
import { ZERO_ADDRESS } from "../../../../src/core/evm/address.ts";
import { getCoinSupply } from "../../../../src/store/state/addresses/coin-supply.ts";
import { addressAt, publish } from "../../../support/build.ts";
import { plansOf, slowNodes } from "../../../support/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test("is not known before the first block", async () => {
  expect(await getCoinSupply(database.sql)).toBeUndefined();
});

test("is read without looking at the balances, and is pending while one must be read again", async () => {
  const { sql } = database;
  await publish(sql, {
    blocks: [{ number: 0 }],
    addresses: [
      { address: ZERO_ADDRESS, balance: "3" },
      ...Array.from({ length: 500 }, (_, index) => ({ address: addressAt(index), balance: "1" })),
    ],
    coinSupply: "503",
  });
  await sql`ANALYZE`;
  expect(await getCoinSupply(sql)).toEqual({
    total: "503",
    zeroAddress: "3",
    pending: false,
    followed: true,
  });
  const plans = await plansOf(sql, () => getCoinSupply(sql));
  expect(plans.flatMap(slowNodes)).toEqual([]);
  await sql`UPDATE addresses SET balance_block = NULL WHERE address = ${addressAt(7)}`;
  expect(await getCoinSupply(sql)).toMatchObject({ pending: true });
});
