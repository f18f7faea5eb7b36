import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import { type Fragment, firstRow, type Queryable } from "../../../db/client.ts";

/** The verified code of an address without an indexed creation: only the node has its present code. */
export interface UnindexedCode {
  address: Address;
  /** keccak-256 of the code that was verified. */
  codeHash: Hex;
  /** True if other code was observed there. */
  isReplaced: boolean;
  /** True if the block of the read is still canonical. */
  isAnchored: boolean;
}

/** Returns the verified code of an address without an indexed creation. */
export function getUnindexedCode(sql: Queryable, address: Address) {
  return firstRow(sql<UnindexedCode[]>`
    ${unindexedCodes(sql)} AND address = ${address}`);
}

/** Returns verified codes without an indexed creation, by address, after `after`. */
export function listUnindexedCodes(sql: Queryable, after: Address, limit: number) {
  return sql<UnindexedCode[]>`
    ${unindexedCodes(sql)} AND address > ${after}
    ORDER BY address
    LIMIT ${limit}`;
}

function unindexedCodes(sql: Queryable): Fragment {
  return sql`
    SELECT address, code_hash, is_replaced, EXISTS (
        SELECT 1 FROM blocks b WHERE b.number = v.block_number AND b.hash = v.block_hash) AS is_anchored
    FROM verified_contracts v
    WHERE creation_transaction IS NULL`;
}

/** Stores that the code was seen at a block, or without one that other code was, unless another code was verified meanwhile. */
export async function saveSeen(
  sql: Queryable,
  { address, codeHash }: UnindexedCode,
  seen?: { number: number; hash: Hex },
): Promise<void> {
  const changes = seen
    ? sql`is_replaced = false, block_number = ${seen.number}, block_hash = ${seen.hash}`
    : sql`is_replaced = true`;
  await sql`
    UPDATE verified_contracts SET ${changes} WHERE address = ${address} AND code_hash = ${codeHash}`;
}
