import { afterAll, beforeAll, expect, it } from "vitest";
import type { Sql } from "../../../src/db/client.ts";
import {
  applyDailyStatistics,
  revertDailyStatistics,
} from "../../../src/store/state/daily-statistics.ts";
import { executedPlansOf, rowsRead } from "../../support/explain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";

/** Ten a day, the last day's block prices higher and higher: a roll-back takes the highest. */
const BLOCKS = 45;
const TRANSACTIONS = 30;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  await sql.unsafe(`
    SELECT setseed(0.5);
    INSERT INTO transactions (block_number, transaction_index, hash, type, from_address, nonce, value, gas, gas_price,
        gas_used, cumulative_gas_used, input)
      SELECT b, i, int4send(b * 100 + i), 2, '', 0, 0, 0, b * 3 + (random() * 20)::int, 1, 1, ''
      FROM generate_series(0, ${BLOCKS - 1}) b, generate_series(1, ${TRANSACTIONS}) i WHERE b % 7 > 0;
    INSERT INTO blocks (number, hash, parent_hash, timestamp, miner, difficulty, size, gas_limit, gas_used, transaction_count, fees,
        reward, gas_price_minimum, gas_price_maximum)
      SELECT n, int4send(n), '', n * 8640, '', 0, n, 9 * n, 8 * n, count(t), 7 * n, 2 * n, min(gas_price), max(gas_price)
      FROM generate_series(0, ${BLOCKS - 1}) n LEFT JOIN transactions t ON block_number = n GROUP BY n;
    -- As an earlier version left them.
    UPDATE blocks SET gas_price_minimum = NULL, gas_price_maximum = NULL WHERE number < 8;
    INSERT INTO withdrawals SELECT n, n, 1, '', n FROM generate_series(0, ${BLOCKS - 1}) n;
    INSERT INTO uncles SELECT n, 0, '', n - 1, 0, '' FROM generate_series(1, ${BLOCKS - 1}, 4) n;
    INSERT INTO addresses (address, first_block) SELECT int4send(n), n / 3 FROM generate_series(0, ${BLOCKS}) n;`);
  await sql`VACUUM ANALYZE`;
});
afterAll(() => database.drop());

async function statisticsTo(head: number): Promise<unknown> {
  await sql`DELETE FROM daily_statistics`;
  await sql.begin((transaction) => applyDailyStatistics(transaction, { from: 0, to: head }));
  return [...(await sql`SELECT * FROM daily_statistics ORDER BY day`)];
}

it("what a roll-back leaves is what the blocks that are left add up to", async () => {
  for (const ancestor of [BLOCKS - 2, BLOCKS - 6, 29, 12, 7, 6, 3, 0]) {
    const expected = await statisticsTo(ancestor);
    await statisticsTo(BLOCKS - 1);
    const range = { from: ancestor + 1, to: BLOCKS - 1 };
    await sql.begin((transaction) => revertDailyStatistics(transaction, range));
    expect([...(await sql`SELECT * FROM daily_statistics ORDER BY day`)]).toEqual(expected);
  }
});

it("a roll-back reads no transactions of the blocks that are left", async () => {
  await statisticsTo(BLOCKS - 1);
  const head = { from: BLOCKS - 1, to: BLOCKS - 1 };
  const plans = await executedPlansOf(sql, () =>
    sql.begin((transaction) => revertDailyStatistics(transaction, head)),
  );
  expect(plans).toHaveLength(1);
  const rows = plans.reduce((sum, plan) => sum + rowsRead(plan, "transactions"), 0);
  expect(rows).toBe(TRANSACTIONS);
});
