import { type Address, wordOfAddress } from "../../core/address.ts";
import type { Fragment, Queryable } from "../../db/client.ts";
import { type BlockRange, inRange } from "../chain.ts";
import { keyOf } from "../index-keys.ts";

const BEACON_UPGRADED = "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e";

/** What is upgraded may be no beacon, and named by any number of logs: so many are looked at, the oldest first. */
const LOGS_OF_BEACON = 1_000;

/** Contracts that the blocks of a range destroyed, and tokens that they made at the address of an earlier contract. */
export function replacedContracts(sql: Queryable, range: BlockRange): Fragment {
  return sql`
    SELECT address FROM contract_destructions WHERE ${inRange(sql, range)}
    UNION ALL
    SELECT address FROM contracts JOIN tokens USING (address)
    WHERE ${inRange(sql, range)} AND first_block < block_number`;
}

/**
 * The known tokens of which other code answers after a range: `replacedContracts`, proxies that it upgraded, and those
 * behind beacons that it upgraded, as their logs say (`BeaconUpgraded`, ERC-1967).
 */
export async function listChangedTokens(sql: Queryable, range: BlockRange): Promise<Address[]> {
  const changed = await sql<{ address: Address; mayBeBeacon: boolean }[]>`
    SELECT address, false AS may_be_beacon FROM (${replacedContracts(sql, range)}) AS replaced
    UNION
    SELECT address, indexed AND NOT EXISTS (
        SELECT 1 FROM contracts WHERE contracts.address = upgrade.address AND ${inRange(sql, range)})
    FROM implementation_changes AS upgrade CROSS JOIN sync_state
    WHERE ${inRange(sql, range)}`;
  if (changed.length === 0) return [];
  // What is behind a new beacon names it in the range itself, and a first load has no index of topics.
  const beacons = changed.filter(({ mayBeBeacon }) => mayBeBeacon);
  const behind = await Promise.all(beacons.map(({ address }) => listBehind(sql, address)));
  const addresses = [...changed, ...behind.flat()].map(({ address }) => address);
  const tokens = await sql<{ address: Address }[]>`
    SELECT address FROM tokens WHERE address = ANY (${addresses}::bytea[])`;
  return tokens.map(({ address }) => address);
}

async function listBehind(sql: Queryable, beacon: Address): Promise<{ address: Address }[]> {
  const word = wordOfAddress(beacon);
  return sql<{ address: Address }[]>`
    SELECT address FROM (
      SELECT address, topic0, topic1 FROM logs
      WHERE ${keyOf(sql, sql`topic1`)} = ANY(ARRAY[${keyOf(sql, sql`${word}::bytea`)}])
      ORDER BY ${keyOf(sql, sql`topic1`)}, block_number LIMIT ${LOGS_OF_BEACON}
    ) AS naming
    WHERE topic0 = ${BEACON_UPGRADED} AND topic1 = ${word}`;
}
