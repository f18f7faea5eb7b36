import type { Address } from "../../core/evm/address.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { firstRow, firstValue, hasRows, pluck, type Queryable, type Sql } from "../../db/client.ts";

/** A proxy's target, as read at a block. */
export interface ProxyRow {
  address: Address;
  /** The recognised kind of proxy. */
  kind: string;
  /** Empty while the proxy names none. */
  implementations: Address[];
  /** Targets that patterns of lower precedence found. */
  conflicts: Address[];
  /** The contract that names the implementation; null when the proxy itself does. */
  beacon: Address | null;
  blockNumber: number;
  blockHash: Hex;
}

/** Stores a target. */
export async function saveProxy(sql: Queryable, proxy: ProxyRow): Promise<void> {
  await sql`
    INSERT INTO proxies (address, kind, implementations, conflicts, beacon, block_number, block_hash)
    VALUES (${proxy.address}, ${proxy.kind}, ${sql.json(proxy.implementations)},
      ${sql.json(proxy.conflicts)}, ${proxy.beacon}, ${proxy.blockNumber}, ${proxy.blockHash})
    ON CONFLICT (address) DO UPDATE SET
      kind = excluded.kind, implementations = excluded.implementations, conflicts = excluded.conflicts,
      beacon = excluded.beacon, block_number = excluded.block_number, block_hash = excluded.block_hash`;
}

/** Schedules a read of an address's target, as after an upgrade, unless one is stored. */
export async function saveUnreadProxy(sql: Queryable, address: Address): Promise<void> {
  // No block has this hash, so the answer is always outdated.
  await sql`
    INSERT INTO proxies (address, kind, implementations, conflicts, block_number, block_hash)
    VALUES (${address}, 'unknown', '[]', '[]', 0, '')
    ON CONFLICT (address) DO NOTHING`;
}

/** Deletes the target of an address. */
export async function deleteProxy(sql: Queryable, address: Address): Promise<void> {
  await sql`DELETE FROM proxies WHERE address = ${address}`;
}

/** Returns the target of an address; undefined when there is none or it is outdated. */
export function getProxy(sql: Queryable, address: Address) {
  return firstRow(sql<ProxyRow[]>`
    SELECT address, kind, implementations, conflicts, beacon, block_number, block_hash
    FROM valid_proxies WHERE address = ${address}`);
}

/** Returns whether an address once delegated, and its target is outdated. */
export function isStaleProxy(sql: Queryable, address: Address) {
  return hasRows(sql`
    SELECT 1 FROM proxies p
    WHERE address = ${address} AND NOT EXISTS (SELECT 1 FROM valid_proxies v WHERE v.address = p.address)`);
}

/** Returns proxies with an outdated target, after an upgrade or a reorganisation, except the given ones. */
export function listStaleProxies(sql: Sql, limit: number, without: readonly Address[]) {
  return pluck(sql<{ address: Address }[]>`
    SELECT address FROM proxies p
    WHERE block_number <= (SELECT head_number FROM sync_state)
      AND NOT address = ANY(${without}::bytea[])
      AND NOT EXISTS (SELECT 1 FROM valid_proxies v WHERE v.address = p.address)
    ORDER BY address
    LIMIT ${limit}`);
}

/** Returns addresses that delegated at their last read, after `after`, except the given ones. */
export function listProxies(sql: Sql, after: Address, limit: number, without: readonly Address[]) {
  return pluck(sql<{ address: Address }[]>`
    SELECT address FROM proxies
    WHERE address > ${after} AND NOT address = ANY(${without}::bytea[])
    ORDER BY address
    LIMIT ${limit}`);
}

/** Outcome of a check of an address; without implementations none was found. */
export interface ProxyCheck {
  address: Address;
  implementations: Address[];
}

/** Stores the outcome of a check by guid, unless it exists. */
export async function insertProxyCheck(
  sql: Queryable,
  { guid, address, implementations }: ProxyCheck & { guid: string },
): Promise<void> {
  await sql`
    INSERT INTO proxy_checks (guid, address, implementations)
    VALUES (${guid}, ${address}, ${sql.json(implementations)})
    ON CONFLICT (address, guid) DO NOTHING`;
}

/** Returns the guid of a check of the last hour with the same outcome; undefined when there is none. */
export function findProxyCheck(sql: Queryable, { address, implementations }: ProxyCheck) {
  return firstValue(sql<{ guid: string }[]>`
    SELECT guid FROM proxy_checks
    WHERE address = ${address} AND implementations = ${sql.json(implementations)}
      AND created_at > now() - interval '1 hour'
    LIMIT 1`);
}

/** Returns the outcome of a guid; undefined when there is none. */
export function getProxyCheck(sql: Queryable, address: Address, guid: string) {
  return firstRow(sql<ProxyCheck[]>`
    SELECT address, implementations FROM proxy_checks WHERE address = ${address} AND guid = ${guid}`);
}

/** Deletes outcomes older than a week. */
export async function deleteOldProxyChecks(sql: Sql): Promise<void> {
  await sql`DELETE FROM proxy_checks WHERE created_at < now() - interval '7 days'`;
}
