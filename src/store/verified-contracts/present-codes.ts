import type { Address } from "../../core/address.ts";
import type { Hex } from "../../core/hex.ts";
import type { Queryable } from "../../db/client.ts";

/** The verified code of an address whose creation is not indexed: only the node tells whether it still stands there. */
export interface UntoldCode {
  address: Address;
  /** keccak-256 of the code that was verified. */
  codeHash: Hex;
  /** Whether other code was seen there. */
  isReplaced: boolean;
}

/** The verified code of an address, when its creation is not indexed. */
export async function getUntoldCode(
  sql: Queryable,
  address: Address,
): Promise<UntoldCode | undefined> {
  const [row] = await sql<UntoldCode[]>`
    SELECT address, code_hash, is_replaced FROM verified_contracts
    WHERE address = ${address} AND creation_transaction IS NULL`;
  return row;
}

/** Verified codes whose creation is not indexed, by address, beyond `after`. */
export async function listUntoldCodes(
  sql: Queryable,
  after: Address,
  limit: number,
): Promise<UntoldCode[]> {
  return sql<UntoldCode[]>`
    SELECT address, code_hash, is_replaced FROM verified_contracts
    WHERE address > ${after} AND creation_transaction IS NULL
    ORDER BY address
    LIMIT ${limit}`;
}

/** Stores whether other code was seen, unless another code was verified meanwhile. */
export async function saveIsReplaced(
  sql: Queryable,
  { address, codeHash, isReplaced }: UntoldCode,
): Promise<void> {
  await sql`
    UPDATE verified_contracts SET is_replaced = ${isReplaced}
    WHERE address = ${address} AND code_hash = ${codeHash}`;
}
