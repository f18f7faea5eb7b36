import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import type { Queryable } from "../../db/client.ts";
import { emptyCodeHash } from "./list.ts";

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
    FROM contracts c
    CROSS JOIN LATERAL transaction_at(c.block_number, c.transaction_index) t
    JOIN blocks b ON b.number = c.block_number
    LEFT JOIN LATERAL internal_transaction_at(c.block_number, c.transaction_index, c.position) i ON true
    WHERE c.address = ${address} AND c.block_number <= (SELECT head_number FROM sync_state)
    ORDER BY c.block_number DESC, c.transaction_index DESC, c.position DESC
    LIMIT 1`;
  if (!row) return undefined;
  const { nonce, value } = row;
  return { ...row, nonce: nonce === null ? null : BigInt(nonce), value: BigInt(value) };
}
