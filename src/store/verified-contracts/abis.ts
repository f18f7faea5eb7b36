import type { Address } from "../../core/address.ts";
import type { Queryable } from "../../db/client.ts";

/** A verified ABI for an address: its own, or that of a contract it delegates to. */
export interface VerifiedAbi {
  address: Address;
  /** Name of the contract that the ABI belongs to. */
  contractName: string;
  /** JSON text. */
  abi: string;
}

/** Most bytes of ABIs in one answer: hashing their signatures takes some 30 ms. */
const MAXIMUM_BYTES = 1_000_000;

/**
 * Verified ABIs of addresses, in their order; each is followed by those of the contracts it delegates to. ABIs beyond a
 * million bytes are left out.
 */
export function listVerifiedAbis(
  sql: Queryable,
  addresses: readonly Address[],
): Promise<VerifiedAbi[]> {
  return sql<VerifiedAbi[]>`
    WITH asked AS (
      SELECT * FROM unnest(${[...addresses]}::bytea[]) WITH ORDINALITY AS asked (address, place)
    ), sources AS (
      SELECT address, place, 0 AS rank, address AS source FROM asked
      UNION ALL
      SELECT asked.address, place, i.rank, decode(substr(i.address, 3), 'hex')
      FROM asked
      JOIN valid_proxies p USING (address)
      CROSS JOIN LATERAL jsonb_array_elements_text(p.implementations) WITH ORDINALITY AS i (address, rank)
    ), measured AS (
      SELECT s.address, s.source, s.place, s.rank,
        sum(octet_length(v.abi)) OVER (ORDER BY s.place, s.rank) AS bytes
      FROM sources s JOIN valid_verified_contracts v ON v.address = s.source
    )
    SELECT m.address, v.contract_name, v.abi
    FROM measured m JOIN verified_contracts v ON v.address = m.source
    WHERE m.bytes <= ${MAXIMUM_BYTES}
    ORDER BY m.place, m.rank`;
}
