import type { Address } from "../../../core/evm/address.ts";
import { DEPOSIT_TYPE } from "../../../core/evm/deposits.ts";
import { type Fragment, type Queryable, type Transaction, tableOf } from "../../../db/client.ts";
import { emptyCodeHash } from "../../contracts/list.ts";
import { type BlockRange, inRange, READ_AGAIN_MAXIMUM } from "../../writer/chain.ts";
import { dayOf } from "../daily-statistics.ts";

/** An address with a pending coin balance. */
export interface CoinToRead {
  address: Address;
  /** True if its code is to be asked for: it is unknown, and neither a creation nor a self-destruct decides. */
  withCode: boolean;
}

export interface CoinBalance {
  address: Address;
  balanceWei: bigint;
  /** True if it is a contract; null when its code was not read. */
  isContract: boolean | null;
}

/** Lists addresses whose balance must be read at block `at`: changed and new ones, before a roll-back also those read in the range. */
export function listTouchedCoins(sql: Queryable, range: BlockRange, at: number) {
  return sql<CoinToRead[]>`
    WITH seen AS MATERIALIZED (${seenAddresses(sql, range)})
    SELECT touched.address, ${isCodeUnknown(sql, at)} AS with_code
    FROM (
      SELECT address, CASE WHEN balance_block < ${range.from} THEN has_code END AS has_code,
        CASE WHEN code_seen_block < ${range.from} THEN code_seen_block END AS code_seen_block
      FROM (
        ${movedAddresses(sql, range, sql`seen`)}
        UNION
        (SELECT address FROM addresses WHERE balance_block >= ${range.from}
          ORDER BY balance_block LIMIT ${READ_AGAIN_MAXIMUM})
        UNION
        SELECT address FROM seen
          WHERE named AND NOT EXISTS (
            SELECT 1 FROM addresses WHERE addresses.address = seen.address AND balance_block IS NOT NULL)
      ) AS changed
      LEFT JOIN addresses USING (address)
    ) AS touched
    ORDER BY touched.address`;
}

/** Returns whether only the node knows if `touched` has code; always false without traces, as most creations are unknown then. */
function isCodeUnknown(sql: Queryable, at: number | Fragment) {
  return sql`(
    (SELECT traced OR traced_to IS NOT NULL FROM sync_state) AND (
      touched.has_code IS NULL AND NOT EXISTS (
        SELECT 1 FROM contracts WHERE contracts.address = touched.address AND block_number <= ${at})
      OR EXISTS (
        SELECT 1 FROM contracts AS made
        WHERE made.address = touched.address AND made.code_hash = ${emptyCodeHash(sql)}
          AND made.block_number > coalesce(touched.code_seen_block, -1)
          AND made.block_number <= ${at})
      OR EXISTS (
        SELECT 1 FROM doubtful_destructions AS ended
        WHERE ended.address = touched.address
          AND ended.block_number > coalesce(touched.code_seen_block, -1)
          AND ended.block_number <= ${at})))`;
}

/** The contracts that collect an OP-stack rollup's fees without a trace: BaseFeeVault, L1FeeVault, OperatorFeeVault (its predeploys). */
const FEE_VAULTS: readonly Address[] = [
  "0x4200000000000000000000000000000000000019",
  "0x420000000000000000000000000000000000001a",
  "0x420000000000000000000000000000000000001b",
];

/** Returns the addresses of a range, with first block and whether their balance may change (`moved`), without ineffective frames. */
function seenAddresses(sql: Queryable, range: BlockRange) {
  return sql`
    SELECT address, min(block_number) FILTER (WHERE is_named) AS first_block, bool_or(is_named) AS named,
      bool_or(moves) AS moved
    FROM (
      SELECT block_number, side.address, true AS is_named, true AS moves FROM transactions
        CROSS JOIN LATERAL (VALUES (from_address), (to_address), (created_contract)) AS side (address)
        WHERE ${inRange(sql, range)}
      UNION ALL
      SELECT block_number, side.address, true, value > 0 OR type <> 'call' FROM internal_transactions
        CROSS JOIN LATERAL (VALUES (from_address), (to_address), (created_contract)) AS side (address)
        WHERE ${inRange(sql, range)} AND effective
      UNION ALL
      SELECT block_number, side.address, true, false FROM token_transfers
        CROSS JOIN LATERAL (VALUES (from_address), (to_address)) AS side (address)
        WHERE ${inRange(sql, range)}
      UNION ALL
      SELECT block_number, address, true, true FROM withdrawals WHERE ${inRange(sql, range)}
      UNION ALL
      SELECT block_number, vault.address, false, true FROM transactions
        CROSS JOIN LATERAL unnest(${[...FEE_VAULTS]}::bytea[]) AS vault (address)
        WHERE ${inRange(sql, range)} AND type = ${DEPOSIT_TYPE}
    ) AS seen
    WHERE address IS NOT NULL
    GROUP BY address`;
}

/** Returns the producers of the blocks of a range and of their uncles, each with its blocks. */
function producers(sql: Queryable, range: BlockRange) {
  return sql`
    SELECT miner AS address, number AS block_number FROM blocks WHERE ${inRange(sql, range, "number")}
    UNION ALL
    SELECT miner, block_number FROM uncles WHERE ${inRange(sql, range)}`;
}

/** Returns addresses whose balance a range may have changed, of `seen` (`seenAddresses`) and producers. One may occur twice. */
function movedAddresses(sql: Queryable, range: BlockRange, seen: Fragment) {
  return sql`
    SELECT address FROM ${seen} WHERE moved
    UNION ALL
    SELECT address FROM (${producers(sql, range)}) AS producers`;
}

/** Applies a range to the addresses: adds new ones, and marks the coin balances of `listTouchedCoins` as pending. */
export async function applyAddresses(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    WITH seen AS MATERIALIZED (${seenAddresses(sql, range)}),
    news AS (
      INSERT INTO addresses (address, first_block)
      SELECT address, first_block FROM seen WHERE named
      UNION ALL
      ${producers(sql, range)}
      ORDER BY 1, 2
      ON CONFLICT (address) DO NOTHING
    )
    UPDATE addresses SET balance_block = NULL
    WHERE balance_block IS NOT NULL AND address IN (${movedAddresses(sql, range, sql`seen`)})`;
}

/**
 * Adds the addresses that the traces of published blocks name, moves first blocks back to them, and marks the balances of all
 * addresses of these blocks as pending. The statistics of days follow.
 */
export async function addTracedAddresses(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    WITH seen AS MATERIALIZED (
      SELECT address, first_block FROM (${seenAddresses(sql, range)}) AS seen WHERE named
    ), before AS MATERIALIZED (
      SELECT address, first_block FROM addresses WHERE address IN (SELECT address FROM seen)
    ), written AS (
      INSERT INTO addresses AS known (address, first_block) SELECT address, first_block FROM seen
      ON CONFLICT (address) DO UPDATE
        SET first_block = least(known.first_block, excluded.first_block), balance_block = NULL
      RETURNING address, first_block
    ), moves AS (
      SELECT written.first_block AS number, 1 AS count FROM written LEFT JOIN before USING (address)
        WHERE before.first_block IS DISTINCT FROM written.first_block
      UNION ALL
      SELECT before.first_block, -1 FROM before JOIN written USING (address)
        WHERE before.first_block <> written.first_block
    ), days AS (
      SELECT ${dayOf(sql, sql`timestamp`)} AS day, sum(count) AS count FROM moves JOIN blocks USING (number) GROUP BY 1
    )
    UPDATE daily_statistics SET new_addresses = new_addresses + count FROM days
    WHERE daily_statistics.day = days.day`;
  await sql`
    UPDATE addresses SET balance_block = NULL
    WHERE balance_block IS NOT NULL AND address IN (SELECT address FROM (${producers(sql, range)}) AS producers)`;
}

/** Undoes `applyAddresses` before the rows are deleted, and marks reads of the range as pending. */
export async function revertAddresses(sql: Transaction, range: BlockRange): Promise<undefined> {
  await sql`
    WITH gone AS (DELETE FROM addresses WHERE first_block >= ${range.from} RETURNING balance)
    UPDATE coin_supply SET total = total - (SELECT coalesce(sum(balance), 0) FROM gone)`;
  // When the range was applied, its moved balances became pending, so any later read was at one of
  // its blocks. The code was read no later than the balance.
  await sql`
    UPDATE addresses SET balance_block = NULL, has_code = NULL WHERE balance_block >= ${range.from}`;
  const moved = movedAddresses(sql, range, sql`(${seenAddresses(sql, range)}) AS seen`);
  await sql`
    UPDATE addresses SET has_code = NULL
    WHERE balance_block IS NULL AND has_code IS NOT NULL AND address IN (${moved})`;
  await sql`
    UPDATE addresses SET code_seen_block = NULL
    WHERE balance_block IS NULL AND code_seen_block >= ${range.from}`;
}

/** Writes the coin balances of known addresses at a block, and updates their sum. */
export async function writeCoinBalances(
  sql: Transaction,
  blockNumber: number,
  balances: readonly CoinBalance[],
): Promise<void> {
  if (balances.length === 0) return;
  await sql`
    WITH news AS (
      SELECT address, balance_wei AS balance, is_contract = 1 AS has_code
      FROM ${tableOf(sql, "rows", balances, { address: "bytea", balanceWei: "numeric", isContract: "int2" })}
    ), before AS (
      SELECT address, coalesce(balance, 0) AS balance FROM addresses WHERE address IN (SELECT address FROM news)
    ), written AS (
      UPDATE addresses SET balance = news.balance, balance_block = ${blockNumber},
        has_code = coalesce(addresses.has_code, news.has_code),
        code_seen_block = CASE WHEN news.has_code THEN ${blockNumber} ELSE code_seen_block END
      FROM news WHERE addresses.address = news.address
    )
    INSERT INTO coin_supply AS known (total)
    SELECT coalesce(sum(news.balance - before.balance), 0) FROM news JOIN before USING (address)
    ON CONFLICT (singleton) DO UPDATE SET total = known.total + excluded.total`;
}

/** Returns addresses with a pending coin balance at the head, at most `limit`. */
export function listPendingCoins(sql: Queryable, limit: number) {
  const head = sql`(SELECT head_number FROM sync_state)`;
  return sql<CoinToRead[]>`
    SELECT touched.address, ${isCodeUnknown(sql, head)} AS with_code
    FROM addresses AS touched
    WHERE balance_block IS NULL ORDER BY address LIMIT ${limit}`;
}

/** Selects pending coin balances. */
export function selectPendingCoins(sql: Queryable) {
  return sql`SELECT FROM addresses WHERE balance_block IS NULL`;
}

/** Marks balances as pending. */
export async function forgetCoinBalances(sql: Transaction, addresses: readonly Address[]) {
  await sql`UPDATE addresses SET balance_block = NULL WHERE address = ANY (${[...addresses]}::bytea[])`;
}
