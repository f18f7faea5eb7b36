import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Fragment, firstRow, type Queryable } from "../../db/client.ts";
import { hasKey } from "../index-keys.ts";
import { type BlockBounds, direction, inPublishedBlocks, type Order } from "./page.ts";
import { onSide } from "./parties.ts";

/** More transactions than one account sends in a block. */
const MOST_OF_BLOCK = 100_000;

/** The place of a transaction in the chain. */
export interface TransactionPlace {
  blockNumber: number;
  transactionIndex: number;
}

/** Returns a place as the key of a map. */
export function placeText({ blockNumber, transactionIndex }: TransactionPlace): string {
  return `${blockNumber} ${transactionIndex}`;
}

/**
 * Returns places of the transactions from, to or creating the address, themselves or by a frame: those
 * of the first blocks with at least `count`, in order. Blocks are never split.
 */
export async function listPlacesOfAddress(
  sql: Queryable,
  address: Address,
  bounds: BlockBounds,
  order: Order,
  count: number,
): Promise<TransactionPlace[]> {
  const own = (blocks: BlockBounds) => sql`
    SELECT block_number, transaction_index FROM address_transactions
    WHERE address = ${address} AND ${inPublishedBlocks(sql, blocks)}`;
  const internal = (blocks: BlockBounds) => sql`
    SELECT block_number, transaction_index FROM address_internal_transactions
    WHERE ${hasKey(sql, [sql`address`, sql`${address}::bytea`])} AND ${inPublishedBlocks(sql, blocks)}`;
  const found = new Map<string, TransactionPlace>();
  for (const rows of [own, internal]) {
    for (const place of await firstBlocks(sql, rows, bounds, order, count)) {
      found.set(placeText(place), place);
    }
  }
  const sign = order === "asc" ? 1 : -1;
  const places = [...found.values()].sort(
    (one, other) =>
      sign * (one.blockNumber - other.blockNumber || one.transactionIndex - other.transactionIndex),
  );
  const last = places[count - 1]?.blockNumber;
  return places.filter(({ blockNumber }, index) => index < count || blockNumber === last);
}

/** Returns the distinct places of the first whole blocks of `rows` with at least `count`, or all. */
async function firstBlocks(
  sql: Queryable,
  rows: (blocks: BlockBounds) => Fragment,
  bounds: BlockBounds,
  order: Order,
  count: number,
): Promise<TransactionPlace[]> {
  const towards = direction(sql, order);
  const found: TransactionPlace[] = [];
  for (let rest = bounds; found.length < count; ) {
    // A transaction may have many rows, so these blocks may have fewer than `count` places.
    const [edge] = await sql<{ blockNumber: number }[]>`
      SELECT block_number FROM (${rows(rest)}) entries
      ORDER BY block_number ${towards} LIMIT 1 OFFSET ${count - 1}`;
    const block = edge?.blockNumber;
    const part = order === "asc" ? { to: block } : { from: block };
    found.push(
      ...(await sql<TransactionPlace[]>`
        SELECT DISTINCT block_number, transaction_index
        FROM (${rows(block === undefined ? rest : { ...rest, ...part })}) entries`),
    );
    if (block === undefined) break;
    rest = { ...rest, ...(order === "asc" ? { from: block + 1 } : { to: block - 1 }) };
  }
  return found;
}

/** Returns the transaction that an account sent with a nonce; undefined when there is none up to the head. */
export async function findSentTransaction(
  sql: Queryable,
  sender: Address,
  nonce: number,
  headNumber: number,
): Promise<(TransactionPlace & { hash: Hex }) | undefined> {
  const sent = (from: number, to: number, limit: number) => sql`
    SELECT t.block_number, t.transaction_index, t.nonce, t.hash FROM (
      SELECT block_number, transaction_index FROM address_transactions
      WHERE address = ${sender} ${onSide(sql, "from")}
        AND block_number BETWEEN ${from}::bigint AND ${to}::bigint
      ORDER BY block_number, transaction_index LIMIT ${limit}
    ) sent
    CROSS JOIN LATERAL transaction_at(sent.block_number, sent.transaction_index) t`;
  // Nonces ascend, so a binary search finds the last block whose first nonce is at most the wanted one.
  let [low, high] = [0, headNumber];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const [first] = await sql<{ blockNumber: number; nonce: string }[]>`
      SELECT block_number, nonce FROM (${sent(middle, high, 1)}) first`;
    if (first && Number(first.nonce) <= nonce) low = first.blockNumber;
    else high = middle - 1;
  }
  return firstRow(sql<(TransactionPlace & { hash: Hex })[]>`
    SELECT block_number, transaction_index, hash FROM (${sent(low, low, MOST_OF_BLOCK)}) of_block
    WHERE nonce = ${nonce} LIMIT 1`);
}

/** Returns the nonce of the last published transaction of an account; -1 when there is none. */
export async function findLastNonce(sql: Queryable, sender: Address): Promise<number> {
  const [last] = await sql<{ nonce: string }[]>`
    SELECT t.nonce FROM (
      SELECT block_number, transaction_index FROM address_transactions
      WHERE address = ${sender} ${onSide(sql, "from")} AND ${inPublishedBlocks(sql)}
      ORDER BY block_number DESC, transaction_index DESC LIMIT 1
    ) sent
    CROSS JOIN LATERAL transaction_at(sent.block_number, sent.transaction_index) t`;
  return Number(last?.nonce ?? -1);
}
