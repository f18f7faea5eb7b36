import { type Address, wordOfAddress } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { type Queryable, tableOf } from "../../db/client.ts";
import { placeText, type TransactionPlace } from "./address-places.ts";
import { type PageRange, PageTooLarge } from "./large-pages.ts";
import { type LogEntry, type LogPattern, matching, readLogs, searchLogs } from "./logs.ts";
import { type BlockBounds, behindPlace, direction, inPublishedBlocks, type Order } from "./page.ts";
import { onSide } from "./parties.ts";

/** The event of a user operation's end, in all versions of the EntryPoint (ERC-4337). */
const USER_OPERATION_EVENT: Hex =
  "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f";
/** Words of the event's data: nonce, success, cost and gas. */
const WORDS = 4;
const KEY = ["block_number", "log_index"] as const;
const PLACE = ["block_number", "transaction_index"] as const;
/** Transactions of a bundler read at once. */
const TRANSACTIONS = 2000;
/** Most of them that one answer reads. */
const MOST_TRANSACTIONS = 50_000;

/** Selects operations by account, paymaster, bundler (the sender of the transaction), or hash. */
export type UserOperationFilter = { blocks?: BlockBounds; entryPoint?: Address | undefined } & (
  | { sender: Address }
  | { paymaster: Address }
  | { bundler: Address }
  | { hash: Hex }
  | { transaction: Hex }
);

/** The log of a user operation, and the sender of its transaction. */
export type UserOperationEntry = LogEntry & { bundler: Address };

/** Returns user operations in the order of block and log. */
export async function listUserOperations(
  sql: Queryable,
  filter: UserOperationFilter,
  order: Order,
  page: PageRange,
): Promise<UserOperationEntry[]> {
  const logs = await findLogs(sql, filter, order, page);
  const senders = await sql<(TransactionPlace & { from: Address })[]>`
    SELECT block_number, transaction_index, from_address AS from FROM transactions_at(
      ${logs.map(({ blockNumber }) => blockNumber)}::bigint[],
      ${logs.map(({ transactionIndex }) => transactionIndex)}::int[])`;
  const byPlace = new Map(senders.map((row) => [placeText(row), row.from]));
  return logs.map((log) => ({ ...log, bundler: byPlace.get(placeText(log)) ?? "0x" }));
}

function findLogs(sql: Queryable, filter: UserOperationFilter, order: Order, page: PageRange) {
  const { blocks, entryPoint: address } = filter;
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = blocks ?? {};
  const search = (...topics: (Hex | undefined)[]) => {
    const pattern = { address, topics: [USER_OPERATION_EVENT, ...topics], words: WORDS };
    return searchLogs(sql, [pattern], { from, to }, page, order);
  };
  if ("hash" in filter) return search(filter.hash);
  if ("sender" in filter) return search(undefined, wordOfAddress(filter.sender));
  if ("paymaster" in filter) return search(undefined, undefined, wordOfAddress(filter.paymaster));
  const pattern = { address, topics: [USER_OPERATION_EVENT], words: WORDS };
  return "transaction" in filter
    ? readLogs(sql, keysOfTransaction(sql, filter.transaction, pattern, page), order, page.limit)
    : logsOfBundler(sql, filter.bundler, { from, to }, pattern, order, page);
}

function keysOfTransaction(sql: Queryable, hash: Hex, pattern: LogPattern, page: PageRange) {
  return sql`
    SELECT block_number, log_index FROM (
      SELECT l.* FROM transaction_place(${hash}) p
      CROSS JOIN LATERAL logs_of_transaction(p.block_number, p.transaction_index) l
    ) AS logs
    WHERE ${inPublishedBlocks(sql)} ${matching(sql, pattern)} ${behindPlace(sql, page, KEY, "asc")}
    ORDER BY log_index LIMIT ${page.limit} OFFSET ${page.skip}`;
}

/** Reads the logs of a bundler's transactions in batches. Throws `PageTooLarge` where too many have none. */
async function logsOfBundler(
  sql: Queryable,
  bundler: Address,
  blocks: BlockBounds,
  pattern: LogPattern,
  order: Order,
  page: PageRange,
): Promise<LogEntry[]> {
  const towards = direction(sql, order);
  const isBehind = behindPlace(sql, page, KEY, order);
  const [first] = page.after ?? [];
  const bounds = first === undefined ? {} : { [order === "asc" ? "from" : "to"]: Number(first) };
  const keys: { blockNumber: number; logIndex: number }[] = [];
  let after: string[] = [];
  let read = 0;
  for (let isMore = true; isMore && keys.length < page.skip + page.limit; ) {
    if (read >= MOST_TRANSACTIONS) throw new PageTooLarge();
    const sent = sql`
      SELECT block_number, transaction_index FROM address_transactions
      WHERE address = ${bundler} AND ${inPublishedBlocks(sql, { ...blocks, ...bounds })}
        ${onSide(sql, "from")} ${behindPlace(sql, { after }, PLACE, order)}
      ORDER BY block_number ${towards}, transaction_index ${towards} LIMIT ${TRANSACTIONS}`;
    const rows = await sql<(TransactionPlace & { logs: number[] })[]>`
      WITH sent AS MATERIALIZED (${sent})
      SELECT block_number, transaction_index, ARRAY(
        SELECT log_index FROM logs_of_transaction(sent.block_number, sent.transaction_index)
        WHERE true ${matching(sql, pattern)} ${isBehind} ORDER BY log_index ${towards}) AS logs
      FROM sent ORDER BY block_number ${towards}, transaction_index ${towards}`;
    for (const { blockNumber, logs } of rows)
      for (const logIndex of logs) keys.push({ blockNumber, logIndex });
    const last = rows.at(-1);
    read += rows.length;
    isMore = rows.length === TRANSACTIONS;
    if (last) after = [String(last.blockNumber), String(last.transactionIndex)];
  }
  const shown = keys.slice(page.skip, page.skip + page.limit);
  const found = tableOf(sql, "found", shown, { blockNumber: "int8", logIndex: "int4" });
  return readLogs(sql, sql`SELECT * FROM ${found}`, order, page.limit);
}
