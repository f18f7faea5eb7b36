import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import { firstRow, pluck, type Queryable } from "../../../db/client.ts";

/** The code that several deployments of one source share. */
export interface SimilarCode {
  /** SHA-256 of the code with zeros in the masked parts. */
  hash: Hex;
  /** The masked parts, as JSON: `[[offset, length]]`. */
  mask: string;
}

/** Returns the masks of verified contracts with runtime code of this length. */
export function listMasks(sql: Queryable, runtimeLength: number, limit: number) {
  return pluck(sql<{ mask: string }[]>`
    SELECT DISTINCT mask FROM verified_contracts WHERE runtime_length = ${runtimeLength} LIMIT ${limit}`);
}

/** Returns verified contracts whose runtime code has this length and is one of the codes, in the order of their verification. */
export function listSimilarCandidates(
  sql: Queryable,
  runtimeLength: number,
  codes: readonly SimilarCode[],
  limit: number,
) {
  return pluck(sql<{ address: Address }[]>`
    SELECT address FROM valid_verified_contracts
    WHERE runtime_length = ${runtimeLength} AND (blanked_hash, mask) IN (
      SELECT * FROM unnest(${codes.map(({ hash }) => hash)}::bytea[], ${codes.map(({ mask }) => mask)}::text[]))
    ORDER BY verified_at, address
    LIMIT ${limit}`);
}

/** Input for a comparison of other code with a verified contract; JSON as in the table. */
export interface SimilarEvidence {
  language: string;
  compilation: string;
  /** Null for contracts verified before proofs were stored. */
  proof: string | null;
}

/** Returns the evidence of a verified contract; undefined when the present code there is not verified. */
export function getSimilarEvidence(sql: Queryable, address: Address) {
  return firstRow(sql<SimilarEvidence[]>`
    SELECT language, compilation, proof FROM valid_verified_contracts WHERE address = ${address}`);
}
