import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { placesOf } from "../cluster/distributed-reads.ts";
import { hasKey } from "../index-keys.ts";
import { type PageRange, readPage } from "./large-pages.ts";
import {
  type BlockBounds,
  behindPlace,
  blockOf,
  direction,
  inOrder,
  inPublishedBlocks,
  type Order,
  pageOfBlocks,
} from "./page.ts";
import { type PartyFilter, pageOfActivity } from "./parties.ts";

/** A frame of a transaction's trace. */
export interface InternalTransactionEntry {
  blockNumber: number;
  timestampSeconds: number;
  transactionIndex: number;
  transactionHash: Hex;
  /** Depth-first, 0 is the top-level frame. */
  position: number;
  traceAddress: number[];
  type: string;
  /** Null for types other than call. */
  callType: string | null;
  from: Address;
  to: Address | null;
  /** Null also for a reverted creation. */
  createdContract: Address | null;
  value: string;
  gas: string | null;
  gasUsed: string | null;
  /** Null for the top-level frame, whose input is the transaction's, and where it was dropped (`chain/traces/call-inputs.ts`). */
  input: Hex | null;
  /** The tracer's error; null for a frame that succeeded itself. */
  error: string | null;
  /** Its effects last: neither it, nor an enclosing frame, nor the transaction failed. */
  effective: boolean;
}

export interface InternalTransactionFilter {
  /** True to list calls without a value, too, and calls that cannot carry one. */
  includeZeroValue: boolean;
}

export type AddressInternalTransactionFilter = InternalTransactionFilter & {
  blocks?: BlockBounds;
} & PartyFilter;

const KEY = ["block_number", "transaction_index", "position"] as const;

/** Returns internal transactions with the address as sender, receiver or created contract, or of parties. */
export async function listInternalTransactionsOfAddress(
  sql: Queryable,
  filter: AddressInternalTransactionFilter,
  order: Order,
  page: PageRange,
): Promise<InternalTransactionEntry[]> {
  const valuedOnly = filter.includeZeroValue ? sql`` : sql`AND valued`;
  const activity = {
    table: sql`address_internal_transactions`,
    isOf: (address: Address) => hasKey(sql, [sql`address`, sql`${address}::bytea`]),
    condition: sql`${inPublishedBlocks(sql, filter.blocks)} ${valuedOnly}`,
    key: KEY,
    inIndex: ["block_number"],
  };
  const keys = pageOfActivity(sql, filter, activity, order, page);
  return complete(sql, keys, order, page.limit);
}

/** Returns internal transactions of a range of blocks. */
export async function listInternalTransactionsOfBlocks(
  sql: Queryable,
  { blocks, includeZeroValue }: InternalTransactionFilter & { blocks: BlockBounds },
  order: Order,
  page: PageRange,
): Promise<InternalTransactionEntry[]> {
  const rows = sql`
    SELECT block_number, transaction_index, position FROM internal_transactions
    WHERE ${inPublishedBlocks(sql, blocks)} ${behindPlace(sql, page, KEY, order)} ${valued(sql, includeZeroValue)}`;
  const orders = {
    inIndex: includeZeroValue ? undefined : inOrder(sql, ["block_number"], order),
    order: inOrder(sql, KEY, order),
  };
  return complete(sql, pageOfBlocks(sql, rows, orders, page), order, page.limit);
}

/** Returns internal transactions of one transaction. */
export async function listInternalTransactionsOfTransaction(
  sql: Queryable,
  transactionHash: Hex,
  { includeZeroValue }: InternalTransactionFilter,
  order: Order,
  page: PageRange,
): Promise<InternalTransactionEntry[]> {
  const qualified = KEY.map((name) => `i.${name}`);
  return complete(
    sql,
    sql`
      SELECT i.block_number, i.transaction_index, i.position
      FROM transaction_place(${transactionHash}) p
      CROSS JOIN LATERAL internal_transactions_of_transaction(p.block_number, p.transaction_index) i
      WHERE ${inPublishedBlocks(sql, {}, "p.block_number")} ${valued(sql, includeZeroValue)}
        ${behindPlace(sql, page, qualified, order)}
      ORDER BY i.position ${direction(sql, order)}
      LIMIT ${page.limit} OFFSET ${page.skip}`,
    order,
    page.limit,
  );
}

/** Returns the condition of the index `internal_transactions_valued`. */
function valued(sql: Queryable, includeZeroValue: boolean): Fragment {
  return includeZeroValue ? sql`` : sql`AND (call_type IS NULL OR value > 0)`;
}

/** Returns at most `limit` rows for a page of keys, or for keys already read, in its order. */
async function complete(sql: Queryable, page: Fragment, order: Order, limit: number) {
  const towards = direction(sql, order);
  const { places } = await placesOf(sql, page, KEY);
  const query = sql<InternalTransactionEntry[]>`
    SELECT i.block_number, b.timestamp AS timestamp_seconds, i.transaction_index, i.transaction_hash,
      i.position, i.trace_address, i.type, i.call_type, i.from_address AS from, i.to_address AS to,
      i.created_contract, i.value, i.gas, i.gas_used, i.input, i.error, i.effective
    FROM ${places}
    CROSS JOIN LATERAL (
      SELECT (internal).*, transaction_hash
      FROM internal_transactions_at(
        places.block_number, places.transaction_index, places.position)
    ) i
    ${blockOf(sql, sql`i.block_number`)}
    ORDER BY i.block_number ${towards}, i.transaction_index ${towards}, i.position ${towards}`;
  return readPage(query, limit, ({ input, error }) => [input, error]);
}
