import type { Address } from "../../core/address.ts";
import type { Hex } from "../../core/hex.ts";
import type { Queryable } from "../../db/client.ts";
import { inPublishedBlocks } from "../page.ts";

/** The first transfer of value to an account. */
export interface Funding {
  blockNumber: number;
  timestampSeconds: number;
  from: Address;
  transactionHash: Hex;
  value: string;
  /** Whether the account may be a contract all the same: nobody asked the node for its code. */
  codeUnknown: boolean;
}

/** The first transaction or internal transaction by which another account gave the address value; undefined for none, and for a contract. */
export async function getFunding(sql: Queryable, address: Address): Promise<Funding | undefined> {
  const [funding] = await sql<Funding[]>`
    SELECT first.block_number, b.timestamp AS timestamp_seconds, first.from_address AS from,
      t.hash AS transaction_hash, first.value,
      coalesce(NOT traced OR a.has_code IS NULL, true) AS code_unknown
    FROM (
      (SELECT block_number, transaction_index, -1 AS position, from_address, value
        FROM address_transactions a JOIN transactions USING (block_number, transaction_index)
        WHERE a.address = ${address} AND a.sides & 2 <> 0 AND from_address <> ${address} AND value > 0
          AND status IS DISTINCT FROM 0 AND error IS NULL
          AND ${inPublishedBlocks(sql)}
        ORDER BY block_number, transaction_index
        LIMIT 1)
      UNION ALL
      (SELECT block_number, transaction_index, position, from_address, value
        FROM address_internal_transactions a
        JOIN internal_transactions USING (block_number, transaction_index, position)
        WHERE a.address = ${address} AND a.valued AND a.sides & 2 <> 0 AND from_address <> ${address} AND value > 0
          AND effective
          AND call_type IS DISTINCT FROM 'callcode'
          AND ${inPublishedBlocks(sql)}
        ORDER BY block_number, transaction_index, position
        LIMIT 1)
      ORDER BY block_number, transaction_index, position
      LIMIT 1
    ) first
    JOIN transactions t USING (block_number, transaction_index)
    JOIN blocks b ON b.number = first.block_number
    CROSS JOIN sync_state
    LEFT JOIN addresses a ON a.address = ${address}
    WHERE a.has_code IS NOT TRUE
      AND NOT EXISTS (SELECT FROM contracts WHERE address = ${address} AND ${inPublishedBlocks(sql)})`;
  return funding;
}
