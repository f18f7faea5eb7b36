import type { Address } from "../../../core/evm/address.ts";
import type { Hex } from "../../../core/evm/hex.ts";
import { pluck, type Queryable } from "../../../db/client.ts";
import { inPublishedBlocks } from "../../lists/page.ts";

/** A call by its callee and the selector in its data (`0x` and 8 hex digits). */
export interface CalledMethod {
  address: Address;
  selector: Hex;
}

/** Limit of a name in a list: the contract's author chose the name. */
const LONGEST_NAME = 1000;

/** Most contracts that an account authorized (EIP-7702), the newest, that may name its functions. */
const MOST_DELEGATES = 10;
/** Rank of delegates, behind all targets of proxies. */
const FIRST_DELEGATE = 1_000_000;

/**
 * Lists names of called functions by the callee's ABI, else its implementation's or a delegate's, cut at 1,000 characters; null when
 * unknown.
 */
export async function listMethodNames(sql: Queryable, calls: readonly CalledMethod[]) {
  if (calls.length === 0) return [];
  return pluck(sql<{ name: string | null }[]>`
    WITH called AS (
      SELECT * FROM unnest(
        ${calls.map(({ address }) => address)}::bytea[],
        ${calls.map(({ selector }) => selector.slice(2))}::text[]
      ) WITH ORDINALITY AS called (address, selector, place)
    ), callees AS (
      SELECT address, array_agg(DISTINCT selector) AS selectors FROM called GROUP BY address
    ), sources AS (
      SELECT callees.*, 0 AS rank, address AS source FROM callees
      UNION ALL
      SELECT callees.*, i.rank, decode(substr(i.address, 3), 'hex')
      FROM callees
      JOIN valid_proxies p USING (address)
      CROSS JOIN LATERAL jsonb_array_elements_text(p.implementations) WITH ORDINALITY AS i (address, rank)
      UNION ALL
      SELECT callees.*, ${FIRST_DELEGATE} + row_number() OVER (), delegate
      FROM callees CROSS JOIN LATERAL (
        SELECT delegate FROM delegations WHERE authority = address AND ${inPublishedBlocks(sql)}
        ORDER BY nonce DESC LIMIT ${MOST_DELEGATES}
      ) AS delegated
    ), named AS (
      SELECT DISTINCT ON (sources.address, m.key)
        sources.address, m.key AS selector, left(m.value, ${LONGEST_NAME}) AS name
      FROM sources
      JOIN valid_verified_contracts v ON v.address = sources.source
      CROSS JOIN LATERAL jsonb_each_text(v.methods) AS m
      WHERE m.key = ANY (sources.selectors)
      ORDER BY sources.address, m.key, sources.rank
    )
    SELECT named.name FROM called LEFT JOIN named USING (address, selector) ORDER BY called.place`);
}
