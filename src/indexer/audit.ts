import { randomBytes } from "node:crypto";
import type { AskOptions, NodeName } from "../chain/chain.ts";
import { Retry } from "../chain/retry.ts";
import { type Address, ZERO_ADDRESS } from "../core/address.ts";
import { ChainError } from "../core/errors.ts";
import { hexFromBytes } from "../core/hex.ts";
import { listCoinBalancesFrom } from "../store/addresses/coin-balances.ts";
import { findTableDifferences, type TableDifference } from "../store/audit.ts";
import { encodeChainRows } from "../store/chain.ts";
import type { ServedHead } from "../store/sync-state.ts";
import { listHoldingsFrom } from "../store/token-balances/holdings.ts";
import type { Sync } from "./context.ts";
import { decodeBlocks } from "./decode/block.ts";
import type { AuditKind } from "./status.ts";

/** Balances and holdings compared at once. */
const SAMPLE = 10;
/** An audit that takes longer is given up: it must not delay a head. */
const PATIENCE_MS = 3_000;

/** Audits at intervals, for as long as the indexer runs. */
export interface Auditor {
  /** Audits when the next audit is due. The caller has nothing else to do. */
  auditWhenDue(sync: Sync): Promise<void>;
}

/** Creates the auditor of one synchronisation. */
export function createAuditor(intervalMs: number): Auditor {
  let dueAt = performance.now() + intervalMs;
  return {
    async auditWhenDue(sync) {
      if (performance.now() < dueAt) return;
      dueAt = performance.now() + intervalMs;
      await audit(sync);
    },
  };
}

/**
 * Compares the index with the nodes: the rows of one final block, chosen at random, with the block fetched anew; some
 * coin balances and holdings with the state at the served head. Differences are counted and logged, and nothing is
 * changed. An audit ends silently when a node fails: the next one comes.
 */
async function audit(sync: Sync): Promise<void> {
  const { head, options } = sync;
  if (!head) return;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    await auditBlock(sync, head, signal);
    await auditCoins(sync, head, signal);
    await auditHoldings(sync, head, signal);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
}

async function auditBlock(sync: Sync, head: ServedHead, signal: AbortSignal): Promise<void> {
  const { startBlock } = sync.identity;
  const finalNumber = head.number - sync.options.finalityDepth;
  if (finalNumber < startBlock) return;
  const number = startBlock + Math.floor(Math.random() * (finalNumber - startBlock + 1));
  const first = await compareBlock(sync, number, { signal });
  if (!first) return;
  const { node, differences } = first;
  // One answer may be wrong. A difference counts when a second answer repeats it.
  const second =
    differences.length > 0 ? await compareBlock(sync, number, { signal, avoid: node }) : first;
  const told = second?.differences.map(
    ({ table, stored, expected }) =>
      `${table} of block ${number}: ${stored} rows are there that should not, ${expected} are not`,
  );
  if (told) tell(sync, "blocks", 1, told);
}

async function compareBlock(
  { chain, writer, identity, belief }: Sync,
  blockNumber: number,
  options: AskOptions,
): Promise<{ node: NodeName; differences: TableDifference[] } | undefined> {
  const { traced } = identity;
  const retry = new Retry(options.signal);
  const asked = { ...options, traces: traced, retry };
  const { node, blocks } = await chain.fetchBlocks([blockNumber], asked);
  const [fetched] = blocks;
  if (!fetched) return undefined;
  const answer = { blockNumber, node, fetched, traced, proof: "none" } as const;
  const believed = await belief.believe(answer, retry);
  const expected = encodeChainRows(decodeBlocks([believed]));
  return { node, differences: await findTableDifferences(writer.sql, blockNumber, expected) };
}

async function auditCoins(sync: Sync, head: ServedHead, signal: AbortSignal): Promise<void> {
  // Without traces every answer asks the node for balances.
  if (!sync.identity.traced) return;
  const stored = await fromRandom((from) => listCoinBalancesFrom(sync.writer.sql, from, SAMPLE));
  const addresses = stored.map(({ address }) => address);
  const balances = await sync.chain.fetchCoinBalances(addresses, head, { signal });
  const told = stored.flatMap(({ address, balance }, index) =>
    balances[index] === BigInt(balance)
      ? []
      : [
          `the balance of ${address} at block ${head.number}: ${balance}, the node says ${balances[index]}`,
        ],
  );
  tell(sync, "coins", stored.length, told);
}

async function auditHoldings(sync: Sync, head: ServedHead, signal: AbortSignal): Promise<void> {
  const owner = randomAddress();
  const stored = await fromRandom((from) =>
    listHoldingsFrom(sync.writer.sql, from, from === ZERO_ADDRESS ? from : owner, SAMPLE),
  );
  const questions = stored.map(({ token, owner, tokenId }) => ({
    token,
    owner,
    ...(tokenId !== null && { id: BigInt(tokenId) }),
  }));
  const amounts = await sync.chain.fetchTokenBalances(questions, head, { signal });
  const answered = stored.flatMap((holding, index) => {
    const amount = amounts[index];
    return typeof amount === "bigint" ? [{ ...holding, says: amount }] : [];
  });
  const told = answered
    .filter(({ amount, says }) => BigInt(amount) !== says)
    .map(
      ({ token, owner, tokenId, amount, says }) =>
        `the holding of ${owner} in ${token}${tokenId === null ? "" : ` of id ${tokenId}`} ` +
        `at block ${head.number}: ${amount}, the contract says ${says}`,
    );
  tell(sync, "holdings", answered.length, told);
}

function tell(
  { options, writer }: Sync,
  kind: AuditKind,
  checked: number,
  told: readonly string[],
): void {
  const { status, log } = options;
  const wrong = kind === "blocks" ? Math.min(1, told.length) : told.length;
  status.audit.checked[kind] += checked;
  status.audit.differing[kind] += wrong;
  writer.metrics.audits.inc({ kind, outcome: "equal" }, checked - wrong);
  writer.metrics.audits.inc({ kind, outcome: "different" }, wrong);
  for (const difference of told) {
    status.audit.last = difference;
    log.error({ kind }, `the index differs from the chain: ${difference}`);
  }
}

/** Lists from a random address on, or from the first address when nothing is behind the random one. */
async function fromRandom<Row>(list: (from: Address) => Promise<Row[]>): Promise<Row[]> {
  const rows = await list(randomAddress());
  return rows.length > 0 ? rows : list(ZERO_ADDRESS);
}

function randomAddress(): Address {
  return hexFromBytes(randomBytes(20));
}
