import type { Address } from "../core/address.ts";
import type { Hex } from "../core/hex.ts";
import type { Queryable } from "../db/client.ts";
import { inPublishedBlocks } from "./page.ts";

/** How a contract came to be, by its newest creation. */
export interface ContractCreation {
  address: Address;
  /** Sender of the transaction. */
  sender: Address;
  /** The contract that created it; null when the transaction did. */
  factory: Address | null;
  transactionHash: Hex;
  blockNumber: number;
  timestampSeconds: number;
  /** Init code with the constructor's arguments. */
  creationCode: Hex;
}

/** Creations of the addresses that are known contracts, in the order of the addresses, doubled ones twice. */
export async function listContractCreations(
  sql: Queryable,
  addresses: readonly Address[],
): Promise<ContractCreation[]> {
  return sql<ContractCreation[]>`
    SELECT asked.address, t.from_address AS sender, CASE WHEN c.position > 0 THEN c.creator END AS factory,
      t.hash AS "transactionHash", c.block_number AS "blockNumber", b.timestamp AS "timestampSeconds",
      coalesce(i.input, t.input) AS "creationCode"
    FROM unnest(${[...addresses]}::bytea[]) WITH ORDINALITY AS asked (address, place)
    CROSS JOIN LATERAL (
      SELECT block_number, transaction_index, position, creator FROM contracts
      WHERE address = asked.address AND ${inPublishedBlocks(sql)}
      ORDER BY block_number DESC, transaction_index DESC, position DESC
      LIMIT 1
    ) c
    JOIN transactions t USING (block_number, transaction_index)
    JOIN blocks b ON b.number = c.block_number
    LEFT JOIN internal_transactions i ON i.block_number = c.block_number
      AND i.transaction_index = c.transaction_index AND i.position = c.position
    ORDER BY asked.place`;
}

/** Those of the addresses that are contracts and not destroyed. */
export async function listContractsAmong(
  sql: Queryable,
  addresses: readonly Address[],
): Promise<Set<Address>> {
  const rows = await sql<{ address: Address }[]>`
    SELECT asked.address
    FROM unnest(${[...addresses]}::bytea[]) AS asked (address)
    CROSS JOIN LATERAL (
      SELECT block_number, transaction_index, position FROM contracts
      WHERE address = asked.address AND ${inPublishedBlocks(sql)}
      ORDER BY block_number DESC, transaction_index DESC, position DESC
      LIMIT 1
    ) c
    WHERE NOT EXISTS (
      SELECT FROM contract_destructions d
      WHERE d.address = asked.address AND ${inPublishedBlocks(sql)}
        AND (d.block_number, d.transaction_index, d.position)
          > (c.block_number, c.transaction_index, c.position))`;
  return new Set(rows.map(({ address }) => address));
}
