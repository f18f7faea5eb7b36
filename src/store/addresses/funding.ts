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
      (SELECT a.block_number, a.transaction_index, -1 AS position, t.from_address, t.value
        FROM transactions_to(${address}) a
        CROSS JOIN LATERAL transaction_at(a.block_number, a.transaction_index) t
        WHERE t.from_address <> ${address} AND t.value > 0 AND t.status IS DISTINCT FROM 0 AND t.error IS NULL
          AND ${inPublishedBlocks(sql, {}, "a.block_number")}
        ORDER BY a.block_number, a.transaction_index
        LIMIT 1)
      UNION ALL
      (SELECT a.block_number, a.transaction_index, a.position, i.from_address, i.value
        FROM internal_transactions_to(${address}) a
        CROSS JOIN LATERAL internal_transaction_at(a.block_number, a.transaction_index, a.position) i
        WHERE a.valued AND i.from_address <> ${address} AND i.value > 0 AND i.effective
          AND i.call_type IS DISTINCT FROM 'callcode'
          AND ${inPublishedBlocks(sql, {}, "a.block_number")}
        ORDER BY a.block_number, a.transaction_index, a.position
        LIMIT 1)
      ORDER BY block_number, transaction_index, position
      LIMIT 1
    ) first
    CROSS JOIN LATERAL transaction_at(first.block_number, first.transaction_index) t
    JOIN blocks b ON b.number = first.block_number
    CROSS JOIN sync_state
    LEFT JOIN addresses a ON a.address = ${address}
    WHERE a.has_code IS NOT TRUE
      AND NOT EXISTS (SELECT 1 FROM contracts WHERE address = ${address} AND ${inPublishedBlocks(sql)})`;
  return funding;
}
