import type { Address } from "../../core/evm/address.ts";
import type { Queryable } from "../../db/client.ts";
import { placesOf } from "../cluster/distributed-reads.ts";
import type { PageRange } from "../lists/large-pages.ts";
import {
  type BlockBounds,
  behindPlace,
  blockOf,
  direction,
  inPublishedBlocks,
  type Order,
} from "../lists/page.ts";

/** A withdrawal from the consensus layer (EIP-4895); numbers as `quantityToInt64` returns them. */
export interface Withdrawal {
  withdrawalIndex: number;
  validatorIndex: number;
  address: Address;
  amountGwei: string;
}

/** A withdrawal with fields of its block. */
export interface WithdrawalEntry extends Withdrawal {
  blockNumber: number;
  timestampSeconds: number;
}

/** Returns the withdrawals of a published block, in their order. */
export function listWithdrawalsOfBlock(sql: Queryable, blockNumber: number) {
  return sql<Withdrawal[]>`
    SELECT withdrawal_index, validator_index, address, amount AS amount_gwei
    FROM withdrawals
    WHERE block_number = ${blockNumber} AND ${inPublishedBlocks(sql)}
    ORDER BY withdrawal_index`;
}

const KEY = ["block_number", "withdrawal_index"] as const;

/** Returns the withdrawals to an address by their index, which rises with the blocks. */
export async function listWithdrawals(
  sql: Queryable,
  { address, blocks }: { address: Address; blocks?: BlockBounds },
  order: Order,
  page: PageRange,
): Promise<WithdrawalEntry[]> {
  const towards = direction(sql, order);
  const keys = sql`
    SELECT block_number, withdrawal_index FROM withdrawals
    WHERE address = ${address} AND ${inPublishedBlocks(sql, blocks)} ${behindPlace(sql, page, KEY, order)}
    ORDER BY block_number ${towards}, withdrawal_index ${towards}
    LIMIT ${page.limit} OFFSET ${page.skip}`;
  const { places } = await placesOf(sql, keys, KEY);
  return sql<WithdrawalEntry[]>`
    SELECT w.block_number, b.timestamp AS timestamp_seconds, w.withdrawal_index, w.validator_index,
      w.address, w.amount AS amount_gwei
    FROM ${places}
    CROSS JOIN LATERAL withdrawals_at(places.block_number, places.withdrawal_index) w
    ${blockOf(sql, sql`w.block_number`)}
    ORDER BY w.block_number ${towards}, w.withdrawal_index ${towards}`;
}
