import type { BaseLogger } from "pino";
import type { BlockReference, Chain, NodeName } from "../chain/chain.ts";
import { ChainError } from "../core/errors.ts";
import { type ChainIdentity, getServedHead, type ServedHead } from "../store/sync-state.ts";
import { timeStage } from "../telemetry/metrics.ts";
import type { Belief } from "./belief.ts";
import type { Writer } from "./publish.ts";
import {
  contractsOf,
  countKeys,
  fetchState,
  type StateKeys,
  type StateValues,
  splitByAnswerer,
} from "./state/reading.ts";
import type { IndexerStatus } from "./status.ts";
import type { UnresponsiveContracts } from "./unresponsive-contracts.ts";

export interface SyncOptions {
  /** First block to be indexed. */
  startBlock: number;
  /** The only chain to be indexed, if given. */
  chainId: number | undefined;
  /** Blocks this far below the node's head are taken for final and backfilled many at a time. */
  finalityDepth: number;
  pollIntervalMs: number;
  /** Time between two audits. */
  auditIntervalMs: number;
  /** Recompute hashes and roots of the blocks. */
  proofs: boolean;
  /** Follow a new genesis also on chains that are no development chains. */
  allowReset: boolean;
  log: Pick<BaseLogger, "info" | "warn" | "error">;
  signal: AbortSignal;
  /** Kept up to date by the synchronisation. */
  status: IndexerStatus;
}

/** One run of the synchronisation: its means, and what it knows. */
export interface Sync {
  readonly chain: Chain;
  readonly writer: Writer;
  readonly options: SyncOptions;
  readonly belief: Belief;
  /** A new genesis is followed, and a node that says it has no such block any more is believed. */
  readonly isDevelopment: boolean;
  /** Replaced when a development chain is reset. */
  identity: ChainIdentity;
  /** As in the database; undefined before the first block. */
  head: ServedHead | undefined;
  /** A node that contradicted another one which still has our head. */
  distrusted: NodeName | undefined;
  /** State is being left for later: said once, until it can be read again. */
  statePostponed: boolean;
  /** Since when a reorg waits for nodes that cannot be asked about it. */
  unheardSince: number | undefined;
  /** Contracts left out of the reads for others. */
  readonly unresponsive: UnresponsiveContracts;
}

/** Number of the published head, or the number before the start block. */
export function publishedNumber({ head, identity }: Sync): number {
  return head?.number ?? identity.startBlock - 1;
}

/** Reads the head that was just moved. */
export async function loadHead(sync: Sync): Promise<void> {
  sync.head = await getServedHead(sync.writer.sql);
  sync.options.status.head = sync.head?.number ?? null;
}

/** Says that the indexer is at work at the head. */
export function reportFollowing({ options: { status } }: Sync): void {
  status.phase = "following";
  status.reason = null;
}

/** More than this is not read before a block is published but afterwards, batch by batch. */
const READ_MAXIMUM = 20_000;
/** How long contracts are waited for: the head does not wait for one of them that computes without end. */
const CONTRACTS_PATIENCE_MS = 5_000;
/** How long state is waited for while blocks are served that the chain has no more. */
const URGENT_PATIENCE_MS = 1_000;
/** With these the node says nothing about the contracts. */
const NODE_TROUBLE: ReadonlySet<string> = new Set([
  "unreachable",
  "rate-limited",
  "unauthorized",
  "method-missing",
  "state-unavailable",
  "other-chain",
  "busy",
]);
/** With these the chain has changed while it was read, which is no fault of the node. */
const REORGANISED: ReadonlySet<string> = new Set([
  "block-replaced",
  "block-unknown",
  "head-moved",
  "block-missing",
  "inconsistent-chain",
]);

/** Whether an error says that the chain is no longer what it was when the work began. */
export function isReorg(error: unknown): boolean {
  return error instanceof ChainError && REORGANISED.has(error.code);
}

/**
 * Reads state for the indexer; what is missing from the result, or all when it is undefined, cannot be read now. Of
 * contracts that the node did not get past in time, or leaves unanswered, nothing is read, and they count as unresponsive from
 * then on. Throws when the block is no longer the chain's (`isReorg`).
 */
export async function readState(
  sync: Sync,
  keys: StateKeys,
  block: BlockReference,
  { isUrgent = false } = {},
): Promise<StateValues | undefined> {
  const { ofNode, ofContracts } = splitByAnswerer(keys);
  if (countKeys(ofNode) > READ_MAXIMUM) return undefined;
  return timeStage(sync.writer.metrics, "state", async () => {
    const asksContracts = countKeys(ofContracts) <= READ_MAXIMUM;
    const [node, contracts] = await Promise.all([
      tryToRead(sync, ofNode, block, isUrgent ? URGENT_PATIENCE_MS : undefined),
      asksContracts
        ? tryToRead(sync, ofContracts, block, isUrgent ? URGENT_PATIENCE_MS : CONTRACTS_PATIENCE_MS)
        : null,
    ]);
    if (node instanceof ChainError) return undefined;
    if (!contracts) return node.values;
    if (contracts instanceof ChainError) {
      if (isUrgent) return node.values;
      if (NODE_TROUBLE.has(contracts.code)) return undefined;
      sync.unresponsive.add(contractsOf(ofContracts));
      return node.values;
    }
    sync.unresponsive.add(contracts.unanswered);
    sync.statePostponed = false;
    return { block, rows: [...node.values.rows, ...contracts.values.rows] };
  });
}

async function tryToRead(
  sync: Sync,
  keys: StateKeys,
  block: BlockReference,
  patienceMs?: number,
): Promise<Awaited<ReturnType<typeof fetchState>> | ChainError> {
  const { chain, options } = sync;
  const signal = patienceMs === undefined ? options.signal : AbortSignal.timeout(patienceMs);
  try {
    return await fetchState(chain, keys, block, { signal, headWaits: true, tellReorgs: true });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (isReorg(error)) throw error;
    if (!sync.statePostponed) {
      sync.statePostponed = true;
      options.log.warn({ block: block.number }, `state is read later: ${error.message}`);
    }
    return error;
  }
}
