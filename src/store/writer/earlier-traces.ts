import { firstRow, hasRows, type Queryable, type Transaction } from "../../db/client.ts";
import { addTracedAddresses } from "../state/addresses/state.ts";
import { type BlockRange, encodeChainRows, inRange, insertChainRows } from "./chain.ts";
import type { ChainRows, ChainTableName } from "./chain-tables.ts";

/** Tables whose rows come from traces, or are more exact with them. */
const TRACED: readonly ChainTableName[] = [
  "internalTransactions",
  "addressInternalTransactions",
  "contractDestructions",
  "contracts",
];

/** Returns the range of published blocks without internal transactions on a chain that is not traced; undefined without any. */
export function getUntraced(sql: Queryable) {
  return firstRow(sql<BlockRange[]>`
    SELECT coalesce(traced_to + 1, start_block) AS from, coalesce(head_number, -1) AS to FROM sync_state
    WHERE NOT traced AND coalesce(traced_to + 1, start_block) <= head_number`);
}

/** Returns whether a block's internal transactions are indexed. */
export function isTraced(sql: Queryable, blockNumber: number) {
  return hasRows(sql`SELECT FROM sync_state WHERE traced OR traced_to >= ${blockNumber}`);
}

/** Marks the chain as traced: all its blocks have internal transactions. Earlier answers are void (`index_id`). */
export async function markTraced(sql: Transaction): Promise<void> {
  await sql`UPDATE sync_state SET traced = true, traced_to = NULL, index_id = gen_random_uuid()::text`;
}

/**
 * Adds what the traces of the published blocks from `from` on show: internal transactions, contracts, errors, addresses. Returns
 * false, and writes nothing, when one of the blocks is not the indexed one.
 */
export async function writeEarlierTraces(sql: Transaction, from: number, rows: ChainRows) {
  const range = { from, to: lastNumber(from, rows) };
  if (!(await areIndexed(sql, from, rows))) return false;
  // Before Byzantium (EIP-658) only a trace shows that a transaction failed and created no contract.
  const failed = rows.transactions.filter(({ error }) => error !== null);
  const isOld = failed.some(({ status }) => status === null);
  await sql`DELETE FROM contracts WHERE ${inRange(sql, range)}`;
  if (isOld) await sql`DELETE FROM address_transactions WHERE ${inRange(sql, range)}`;
  await insertChainRows(
    sql,
    encodeChainRows(rows, isOld ? [...TRACED, "addressTransactions"] : TRACED),
  );
  for (const { blockNumber, transactionIndex, createdContract, error, revertData } of failed) {
    await sql`
      UPDATE transactions SET error = ${error}, revert_data = ${revertData}, created_contract = ${createdContract}
      WHERE block_number = ${blockNumber} AND transaction_index = ${transactionIndex}`;
  }
  await addTracedAddresses(sql, range);
  await sql`UPDATE sync_state SET traced_to = ${range.to}`;
  return true;
}

/** Returns the number of the last block among consecutive ones from `from` on. */
export function lastNumber(from: number, { blocks, leftOutBlocks }: ChainRows): number {
  return from + blocks.length + leftOutBlocks.length - 1;
}

/** Returns whether the blocks from `from` on are the indexed ones. */
export async function areIndexed(sql: Transaction, from: number, rows: ChainRows) {
  const stored = await sql<{ hash: string }[]>`
    SELECT hash FROM blocks WHERE number BETWEEN ${from} AND ${lastNumber(from, rows)} ORDER BY number`;
  return rows.blocks.every(({ hash }, index) => stored[index]?.hash === hash);
}
