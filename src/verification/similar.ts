import type { Address } from "../core/address.ts";
import { type Hex, hexLength, hexToBytes } from "../core/hex.ts";
import type { Queryable } from "../db/client.ts";
import { listSimilarCandidates } from "../store/verified-contracts.ts";
import { blankedHash } from "./match/similar.ts";

/** More verified contracts than that of one length are not looked through. */
const MAX_CANDIDATES = 100;

/**
 * A verified contract that the code is another deployment of: equal outside immutables, library addresses and
 * metadata. The one verified first; null when there is none.
 */
export async function findSimilarContract(
  sql: Queryable,
  runtimeCode: Hex,
): Promise<Address | null> {
  const code = hexToBytes(runtimeCode);
  const candidates = await listSimilarCandidates(sql, hexLength(runtimeCode), MAX_CANDIDATES);
  return candidates.find(({ hash, mask }) => blankedHash(code, mask) === hash)?.address ?? null;
}
