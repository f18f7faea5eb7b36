import type { Address } from "../../core/address.ts";
import type { Hex } from "../../core/hex.ts";
import type { Queryable } from "../../db/client.ts";

/** A verified contract whose code has the same length; with an equal hash it may be the same source. */
export interface SimilarCandidate {
  address: Address;
  hash: Hex;
  mask: [offset: number, length: number][];
}

/** Verified contracts with runtime code of so many bytes, in the order of their verification. */
export async function listSimilarCandidates(
  sql: Queryable,
  runtimeLength: number,
  limit: number,
): Promise<SimilarCandidate[]> {
  const rows = await sql<{ address: Address; hash: Hex; mask: string }[]>`
    SELECT address, blanked_hash AS hash, mask
    FROM valid_verified_contracts
    WHERE runtime_length = ${runtimeLength}
    ORDER BY verified_at, address
    LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, mask: JSON.parse(row.mask) as SimilarCandidate["mask"] }));
}

/** What is needed to compare other code with a verified contract; JSON as in the table. */
export interface SimilarEvidence {
  language: string;
  compilation: string;
  /** Null for contracts verified before proofs were kept. */
  proof: string | null;
}

/** The evidence of a verified contract; undefined when the present code there is not verified. */
export async function getSimilarEvidence(
  sql: Queryable,
  address: Address,
): Promise<SimilarEvidence | undefined> {
  const [row] = await sql<SimilarEvidence[]>`
    SELECT language, compilation, proof FROM valid_verified_contracts WHERE address = ${address}`;
  return row;
}
