import type { Logger } from "pino";
import { type Caller, forCaller } from "../../chain/caller-chain.ts";
import type { Chain } from "../../chain/chain.ts";
import type { ChainErrorCode } from "../../chain/errors/codes.ts";
import { ChainError } from "../../core/errors.ts";
import { type Address, ZERO_ADDRESS } from "../../core/evm/address.ts";
import type { Sql } from "../../db/client.ts";
import {
  deleteProxy,
  findProxyCheck,
  getProxyCheck,
  insertProxyCheck,
  listProxies,
  listStaleProxies,
  type ProxyCheck,
  saveProxy,
} from "../../store/contracts/proxies.ts";
import { getVerifiedAbi } from "../../store/contracts/verified/verified-contract.ts";
import { getServedHead } from "../../store/sync-state.ts";
import { addressOfGuid, createGuid } from "../jobs/submit.ts";
import { repeat } from "../rounds.ts";
import { type DetectedProxy, detectProxy } from "./proxy.ts";

export type ProxySource = { sql: Sql; chain: Chain };

/** Gives background reads a caller quota: a contract's code decides how long the node is busy. */
const OURSELVES: Caller = { caller: "proxies" };

/** Reads and stores an address's proxy target; null, and deleted, when it never delegates. Throws `ChainError`. */
export async function refreshProxy(
  { sql, chain }: ProxySource,
  address: Address,
  asker = OURSELVES,
): Promise<DetectedProxy | null> {
  const head = await getServedHead(sql);
  if (head === undefined) return null;
  const detected = await detectProxy(forCaller(asker, chain), address, head);
  if (detected === null) await deleteProxy(sql, address);
  else {
    await saveProxy(sql, { address, ...detected, blockNumber: head.number, blockHash: head.hash });
  }
  return detected;
}

export type ProxyVerification = { outcome: "checked"; guid: string } | { outcome: "not-verified" };

export interface ProxyCheckOptions {
  /** Any other implementation counts as none. */
  expected?: Address | undefined;
  guid?: string;
  /** The caller of its reads, in place of the background's. */
  asker?: Caller;
}

/** Checks and stores a contract's proxy target; the same outcome within an hour has the same guid. Throws `ChainError`. */
export async function verifyProxy(
  source: ProxySource,
  address: Address,
  { expected, guid: given, asker }: ProxyCheckOptions = {},
): Promise<ProxyVerification> {
  if ((await getVerifiedAbi(source.sql, address)) === undefined) return { outcome: "not-verified" };
  const detected = await refreshProxy(source, address, asker);
  const all = detected?.implementations ?? [];
  const implementations = expected === undefined || all.includes(expected) ? all : [];
  const check = { address, implementations };
  const guid = given ?? (await findProxyCheck(source.sql, check)) ?? createGuid(address);
  await insertProxyCheck(source.sql, { guid, ...check });
  return { outcome: "checked", guid };
}

/** Returns the outcome of a check; undefined for an unknown guid. */
export async function getProxyStatus(sql: Sql, guid: string): Promise<ProxyCheck | undefined> {
  const address = addressOfGuid(guid);
  return address && (await getProxyCheck(sql, address, guid.toLowerCase()));
}

const REFRESH_MS = 3000;
const REFRESHED_AT_ONCE = 50;
/** Nodes may charge for each. */
const ROUND_MS = 60_000;
const FIRST_REST_MS = 5000;
const LONGEST_REST_MS = 600_000;

/** Errors that affect every address. */
const ABOUT_ALL: ReadonlySet<string> = new Set<ChainErrorCode>([
  "unreachable",
  "unauthorized",
  "other-chain",
  "state-unavailable",
  "block-unknown",
  "block-replaced",
  "head-moved",
]);

/** Refreshes proxies that were upgraded or reorganised away, and 50 others a minute, until aborted. Unanswered ones are suspended. */
export function keepProxiesFresh(
  source: ProxySource,
  log: Pick<Logger, "warn">,
  signal: AbortSignal,
): Promise<void> {
  const rests = new Map<Address, { until: number; ms: number }>();
  let last = ZERO_ADDRESS;
  let nextRoundAt = 0;

  async function refresh(address: Address): Promise<void> {
    try {
      await refreshProxy(source, address);
      rests.delete(address);
    } catch (error) {
      if (!(error instanceof ChainError) || ABOUT_ALL.has(error.code)) throw error;
      const ms = Math.min(
        Math.max(2 * (rests.get(address)?.ms ?? 0), FIRST_REST_MS),
        LONGEST_REST_MS,
      );
      rests.set(address, { until: performance.now() + ms, ms });
    }
  }

  async function refreshNext(): Promise<void> {
    const now = performance.now();
    const resting = [...rests].filter(([, { until }]) => until > now).map(([address]) => address);
    const found = await listStaleProxies(source.sql, REFRESHED_AT_ONCE, resting);
    if (now >= nextRoundAt) {
      const round = await listProxies(source.sql, last, REFRESHED_AT_ONCE, resting);
      last = (round.length === REFRESHED_AT_ONCE && round.at(-1)) || ZERO_ADDRESS;
      nextRoundAt = now + ROUND_MS;
      found.push(...round);
    }
    for (const address of new Set(found)) {
      if (signal.aborted) return;
      await refresh(address);
    }
  }

  const failed = "cannot refresh proxies; trying again in a minute";
  return repeat(refreshNext, REFRESH_MS, [log, failed], signal);
}
