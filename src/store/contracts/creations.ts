import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { inPublishedBlocks } from "../lists/page.ts";
import { emptyCodeHash, newestCreation } from "./list.ts";

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
    CROSS JOIN LATERAL (${newestCreation(sql, sql`asked.address`)}) c ${transactionOfCreation(sql)}
    ORDER BY asked.place`;
}

/** Joins the transaction of the creation `c`, its block and its frame, as `t`, `b` and `i`. */
function transactionOfCreation(sql: Queryable): Fragment {
  return sql`
    CROSS JOIN LATERAL transaction_at(c.block_number, c.transaction_index) t
    JOIN blocks b ON b.number = c.block_number
    LEFT JOIN LATERAL internal_transaction_at(c.block_number, c.transaction_index, c.position) i ON true`;
}

/** The creation of a contract. */
export interface CreationFacts {
  blockNumber: number;
  blockHash: Hex;
  transactionHash: Hex;
  /** Null without traces, and where the trace shows none. */
  codeHash: Hex | null;
  /** Init code with the constructor's arguments; null when the trace lacks it. */
  creationCode: Hex | null;
  transactionIndex: number;
  timestampSeconds: number;
  parentHash: Hex;
  /** The account that ran CREATE or CREATE2: the transaction's sender, or a factory. */
  creator: Address;
  /** The sender's nonce; null when a factory made the contract. */
  nonce: bigint | null;
  /** The value sent to the constructor, in wei. */
  value: bigint;
}

/** Amounts in the database's form: decimal text. */
interface Amounts {
  nonce: string | null;
  value: string;
}

/** Returns the newest creation of an address in the published blocks. */
export async function getCreationFacts(sql: Queryable, address: Address) {
  const [row] = await sql<(Omit<CreationFacts, "nonce" | "value"> & Amounts)[]>`
    SELECT c.block_number, b.hash AS block_hash, t.hash AS transaction_hash,
      nullif(c.code_hash, ${emptyCodeHash(sql)}) AS code_hash, c.creator, c.transaction_index,
      b.timestamp AS timestamp_seconds, b.parent_hash,
      CASE WHEN c.position = 0 THEN t.input ELSE i.input END AS creation_code,
      CASE WHEN c.position = 0 THEN t.nonce END AS nonce,
      CASE WHEN c.position = 0 THEN t.value ELSE coalesce(i.value, 0) END AS value
    FROM (${newestCreation(sql, sql`${address}`)}) c ${transactionOfCreation(sql)}`;
  if (!row) return undefined;
  const { nonce, value } = row;
  return { ...row, nonce: nonce === null ? null : BigInt(nonce), value: BigInt(value) };
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
    LEFT JOIN LATERAL (${newestCreation(sql, sql`asked.address`)}) c ON true
    LEFT JOIN LATERAL (
      SELECT address FROM contract_removals d
      WHERE d.address = asked.address AND ${inPublishedBlocks(sql)}
        AND (d.block_number, d.transaction_index, d.position) > (
          coalesce(c.block_number, -1), coalesce(c.transaction_index, -1), coalesce(c.position, -1))
      LIMIT 1
    ) d ON true`;
}
