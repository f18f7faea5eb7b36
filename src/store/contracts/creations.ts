import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Queryable } from "../../db/client.ts";
import { inPublishedBlocks } from "../lists/page.ts";
import { emptyCodeHash } from "./list.ts";

/** The newest creation of a contract. */
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

/** Returns the creations of known contracts among the addresses, in their order; repeats those of repeated addresses. */
export function listContractCreations(sql: Queryable, addresses: readonly Address[]) {
  return sql<ContractCreation[]>`
    SELECT asked.address, t.from_address AS sender, CASE WHEN c.position > 0 THEN c.creator END AS factory,
      t.hash AS transaction_hash, c.block_number, b.timestamp AS timestamp_seconds,
      coalesce(i.input, t.input) AS creation_code
    FROM unnest(${[...addresses]}::bytea[]) WITH ORDINALITY AS asked (address, place)
    CROSS JOIN LATERAL (
      SELECT block_number, transaction_index, position, creator FROM contracts
      WHERE address = asked.address AND ${inPublishedBlocks(sql)}
      ORDER BY block_number DESC, transaction_index DESC, position DESC
      LIMIT 1
    ) c
    CROSS JOIN LATERAL transaction_at(c.block_number, c.transaction_index) t
    JOIN blocks b ON b.number = c.block_number
    LEFT JOIN LATERAL internal_transaction_at(c.block_number, c.transaction_index, c.position) i ON true
    ORDER BY asked.place`;
}

/** True if an address has code now; null when only the node has that. */
export interface CodePresence {
  address: Address;
  isContract: boolean | null;
}

/** Returns which addresses are contracts: by their newest creation, else by the node's answer about their code. */
export function listContractsAmong(sql: Queryable, addresses: readonly Address[]) {
  return sql<CodePresence[]>`
    SELECT asked.address,
      CASE WHEN d.address IS NOT NULL THEN CASE WHEN a.balance_block IS NOT NULL THEN false END
        WHEN c.code_hash = ${emptyCodeHash(sql)} AND coalesce(a.code_seen_block, -1) < c.block_number
          THEN CASE WHEN a.balance_block IS NOT NULL THEN false END
        WHEN c.block_number IS NOT NULL THEN true
        WHEN traced THEN a.has_code END AS is_contract
    FROM unnest(${[...addresses]}::bytea[]) AS asked (address)
    CROSS JOIN sync_state
    LEFT JOIN addresses a USING (address)
    LEFT JOIN LATERAL (
      SELECT block_number, transaction_index, position, code_hash FROM contracts
      WHERE address = asked.address AND ${inPublishedBlocks(sql)}
      ORDER BY block_number DESC, transaction_index DESC, position DESC
      LIMIT 1
    ) c ON true
    LEFT JOIN LATERAL (
      SELECT address FROM contract_removals d
      WHERE d.address = asked.address AND ${inPublishedBlocks(sql)}
        AND (d.block_number, d.transaction_index, d.position) > (
          coalesce(c.block_number, -1), coalesce(c.transaction_index, -1), coalesce(c.position, -1))
      LIMIT 1
    ) d ON true`;
}
