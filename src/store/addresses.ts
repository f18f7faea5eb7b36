import type { Address } from "../core/address.ts";
import type { Queryable, Transaction } from "../db/client.ts";
import type { BlockRange } from "./chain.ts";

export interface CoinBalance {
  address: Address;
  balanceWei: bigint;
}

/** Addresses whose coin balance the recorded blocks of the range may have changed. */
export async function listTouchedCoinAddresses(
  sql: Queryable,
  range: BlockRange,
): Promise<Address[]> {
  const rows = await sql<{ address: Address }[]>`${touchedCoinAddresses(sql, range)} ORDER BY 1`;
  return rows.map((row) => row.address);
}

/** Deposit of an OP-stack rollup (OP Stack specification, "Deposits"): every block of one begins with it. */
const DEPOSIT_TYPE = 126;
/** Where such a rollup collects fees without any trace: BaseFeeVault, L1FeeVault, OperatorFeeVault (its predeploys). */
const FEE_VAULTS: readonly Address[] = [
  "0x4200000000000000000000000000000000000019",
  "0x420000000000000000000000000000000000001a",
  "0x420000000000000000000000000000000000001b",
];

function touchedCoinAddresses(sql: Queryable, { from, to }: BlockRange) {
  return sql`
    SELECT miner AS address FROM blocks WHERE number BETWEEN ${from} AND ${to}
    UNION
    SELECT side.address FROM transactions
      CROSS JOIN LATERAL (VALUES (from_address), (to_address), (created_contract)) AS side (address)
      WHERE block_number BETWEEN ${from} AND ${to} AND side.address IS NOT NULL
    UNION
    SELECT side.address FROM internal_transactions
      CROSS JOIN LATERAL (VALUES (from_address), (to_address), (created_contract)) AS side (address)
      WHERE block_number BETWEEN ${from} AND ${to} AND side.address IS NOT NULL
        AND effective AND (value > 0 OR type <> 'call')
    UNION
    SELECT address FROM withdrawals WHERE block_number BETWEEN ${from} AND ${to}
    UNION
    SELECT address FROM unnest(${[...FEE_VAULTS]}::bytea[]) AS vaults (address)
      WHERE EXISTS (
        SELECT FROM transactions WHERE block_number BETWEEN ${from} AND ${to} AND type = ${DEPOSIT_TYPE})`;
}

/**
 * Applies a range to the addresses: those seen for the first time are added, the coin balances that it may have
 * changed become "to be read".
 */
export async function applyAddresses(sql: Transaction, range: BlockRange): Promise<void> {
  const { from, to } = range;
  await sql`
    INSERT INTO addresses (address, first_block)
    SELECT address, min(block_number) FROM (
      SELECT miner AS address, number AS block_number FROM blocks
        WHERE number BETWEEN ${from} AND ${to}
      UNION ALL
      SELECT side.address, block_number FROM transactions
        CROSS JOIN LATERAL (VALUES (from_address), (to_address), (created_contract)) AS side (address)
        WHERE block_number BETWEEN ${from} AND ${to}
      UNION ALL
      SELECT side.address, block_number FROM internal_transactions
        CROSS JOIN LATERAL (VALUES (from_address), (to_address), (created_contract)) AS side (address)
        WHERE block_number BETWEEN ${from} AND ${to}
      UNION ALL
      SELECT side.address, block_number FROM token_transfers
        CROSS JOIN LATERAL (VALUES (from_address), (to_address)) AS side (address)
        WHERE block_number BETWEEN ${from} AND ${to}
      UNION ALL
      SELECT address, block_number FROM withdrawals
        WHERE block_number BETWEEN ${from} AND ${to}
    ) AS seen
    WHERE address IS NOT NULL
    GROUP BY address
    ORDER BY address
    ON CONFLICT (address) DO NOTHING`;
  await forgetCoinBalances(sql, range);
}

/** Marks the coin balances that the range may have changed as "to be read". */
async function forgetCoinBalances(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    UPDATE addresses SET balance_block = NULL
    WHERE balance_block IS NOT NULL AND address IN (${touchedCoinAddresses(sql, range)})`;
}

/**
 * Undoes `applyAddresses` for the recorded blocks of the range, which is the end of the chain; to be called before
 * their rows are deleted.
 */
export async function revertAddresses(sql: Transaction, range: BlockRange): Promise<void> {
  await sql`
    WITH gone AS (DELETE FROM addresses WHERE first_block >= ${range.from} RETURNING balance)
    UPDATE sync_state SET coin_supply = coin_supply - (SELECT coalesce(sum(balance), 0) FROM gone)`;
  await forgetCoinBalances(sql, range);
}

/** Writes coin balances that are true at a block, of known addresses, and keeps their sum. */
export async function writeCoinBalances(
  sql: Transaction,
  blockNumber: number,
  balances: readonly CoinBalance[],
): Promise<void> {
  if (balances.length === 0) return;
  await sql`
    WITH news AS (
      SELECT * FROM unnest(
        ${balances.map((row) => row.address)}::bytea[],
        ${balances.map((row) => row.balanceWei.toString())}::numeric[]
      ) AS news (address, balance)
    ), before AS (
      SELECT address, coalesce(balance, 0) AS balance FROM addresses WHERE address IN (SELECT address FROM news)
    ), written AS (
      UPDATE addresses SET balance = news.balance, balance_block = ${blockNumber}
      FROM news WHERE addresses.address = news.address
    )
    UPDATE sync_state SET coin_supply = coin_supply + (
      SELECT coalesce(sum(news.balance - before.balance), 0) FROM news JOIN before USING (address))`;
}

/** Addresses whose coin balance is to be read, at most `limit`. */
export async function listPendingCoinAddresses(sql: Queryable, limit: number): Promise<Address[]> {
  const rows = await sql<{ address: Address }[]>`
    SELECT address FROM addresses WHERE balance_block IS NULL ORDER BY address LIMIT ${limit}`;
  return rows.map((row) => row.address);
}

/** How many coin balances are to be read, counted up to `limit`. */
export async function countPendingCoinBalances(sql: Queryable, limit: number): Promise<number> {
  const [counted] = await sql<{ count: number }[]>`
    SELECT count(*) FROM (SELECT FROM addresses WHERE balance_block IS NULL LIMIT ${limit}) AS pending`;
  return counted?.count ?? 0;
}
