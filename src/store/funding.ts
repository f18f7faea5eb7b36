import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Queryable } from "../db/client.ts";
import { inPublishedBlocks } from "./page.ts";

/** The first transfer of value to an account. */
export interface Funding {
  blockNumber: number;
  timestampSeconds: number;
  from: Address;
  transactionHash: Hex;
  value: string;
}

/** The first transaction or internal transaction that gave the address value; undefined for none, and for a contract. */
export async function getFunding(sql: Queryable, address: Address): Promise<Funding | undefined> {
  const [funding] = await sql<Funding[]>`
    SELECT first.block_number AS "blockNumber", b.timestamp AS "timestampSeconds", first.from_address AS from,
      t.hash AS "transactionHash", first.value
    FROM (
      (SELECT block_number, transaction_index, -1 AS position, from_address, value
        FROM address_transactions a JOIN transactions USING (block_number, transaction_index)
        WHERE a.address = ${address} AND a.sides & 2 <> 0 AND value > 0 AND status IS DISTINCT FROM 0
          AND ${inPublishedBlocks(sql)}
        ORDER BY block_number, transaction_index
        LIMIT 1)
      UNION ALL
      (SELECT block_number, transaction_index, position, from_address, value
        FROM address_internal_transactions a
        JOIN internal_transactions USING (block_number, transaction_index, position)
        WHERE a.address = ${address} AND a.valued AND a.sides & 2 <> 0 AND value > 0 AND effective
          AND ${inPublishedBlocks(sql)}
        ORDER BY block_number, transaction_index, position
        LIMIT 1)
      ORDER BY block_number, transaction_index, position
      LIMIT 1
    ) first
    JOIN transactions t USING (block_number, transaction_index)
    JOIN blocks b ON b.number = first.block_number
    WHERE NOT EXISTS (SELECT FROM contracts WHERE address = ${address} AND ${inPublishedBlocks(sql)})`;
  return funding;
}
