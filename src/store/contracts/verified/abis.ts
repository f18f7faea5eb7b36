import type { Address } from "../../../core/evm/address.ts";
import type { Queryable } from "../../../db/client.ts";

/** A verified ABI for an address: its own, or that of a contract it delegates to. */
export interface VerifiedAbi {
  address: Address;
  /** Name of the contract that the ABI belongs to. */
  contractName: string;
  /** JSON text. */
  abi: string;
  /** It belongs neither to the address nor to its proxy's target, but to a past delegate call's. */
  isOfDelegation: boolean;
}

/** A call that ran another contract's code in the caller's context. */
export interface Delegation {
  caller: Address;
  callee: Address;
}

const MAXIMUM_BYTES = 1_000_000;
/** Rank of delegations, behind all possible proxy targets of an address. */
const FIRST_DELEGATION = 1_000_000;

/** Lists verified ABIs, each followed by those behind its proxy and of its `delegations`, up to a million bytes. */
export function listVerifiedAbis(
  sql: Queryable,
  addresses: readonly Address[],
  delegations: readonly Delegation[] = [],
) {
  return sql<VerifiedAbi[]>`
    WITH asked AS (
      SELECT * FROM unnest(${[...addresses]}::bytea[]) WITH ORDINALITY AS asked (address, place)
    ), delegated AS (
      SELECT * FROM unnest(
        ${delegations.map(({ caller }) => caller)}::bytea[],
        ${delegations.map(({ callee }) => callee)}::bytea[]
      ) WITH ORDINALITY AS delegated (address, source, rank)
    ), candidates AS (
      SELECT address, place, 0 AS rank, address AS source FROM asked
      UNION ALL
      SELECT asked.address, place, i.rank, decode(substr(i.address, 3), 'hex')
      FROM asked
      JOIN valid_proxies p USING (address)
      CROSS JOIN LATERAL jsonb_array_elements_text(p.implementations) WITH ORDINALITY AS i (address, rank)
      UNION ALL
      SELECT asked.address, place, ${FIRST_DELEGATION} + rank, source FROM asked JOIN delegated USING (address)
    ), sources AS (
      SELECT address, place, source, min(rank) AS rank FROM candidates GROUP BY address, place, source
    ), measured AS (
      SELECT s.address, s.source, s.place, s.rank,
        sum(octet_length(v.abi)) OVER (ORDER BY s.place, s.rank) AS bytes
      FROM sources s JOIN valid_verified_contracts v ON v.address = s.source
    )
    SELECT m.address, v.contract_name, v.abi, m.rank > ${FIRST_DELEGATION} AS is_of_delegation
    FROM measured m JOIN verified_contracts v ON v.address = m.source
    WHERE m.bytes <= ${MAXIMUM_BYTES}
    ORDER BY m.place, m.rank`;
}
