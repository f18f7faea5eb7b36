import type { BaseLogger } from "pino";
import type { Chain } from "../chain/chain.ts";
import type { NodeName } from "../chain/options.ts";
import type { BlockReference } from "../chain/questions.ts";
import { LARGEST_GROUP } from "../chain/state/contract-calls.ts";
import type { UnresponsiveContracts } from "../chain/state/unresponsive-contracts.ts";
import { mapLimit } from "../core/async.ts";
import { ChainError } from "../core/errors.ts";
import { type ChainIdentity, getServedHead, type ServedHead } from "../store/sync-state.ts";
import type { ChainTableName } from "../store/writer/chain-tables.ts";
import { timeStage } from "../telemetry/metrics.ts";
import type { Agreement } from "./checks/agreement.ts";
import type { Writer } from "./publish.ts";
import {
  contractsOf,
  countKeys,
  fetchState,
  inBunches,
  type StateKeys,
  type StateValues,
} from "./state/reading.ts";
import type { IndexerStatus } from "./thread/status.ts";

export interface SyncOptions {
  startBlock: number;
  chainId: number | undefined;
  /** Blocks this far below the node's head count as final: they are backfilled, many at a time. */
  finalityDepth: number;
  pollIntervalMs: number;
  auditIntervalMs: number;
  proofs: boolean;
  /** True if a new genesis is followed also on other chains than development chains. */
  allowReset: boolean;
  log: Pick<BaseLogger, "info" | "warn" | "error">;
  signal: AbortSignal;
  /** Updated by the synchronisation. */
  status: IndexerStatus;
}

/** A node that contradicted another one which has our head, or that is behind another one. */
export interface Distrusted {
  node: NodeName;
  /** Time of the last review, in ms of `performance.now()`. */
  reviewedAt: number;
}

/** State and dependencies of one synchronisation. */
export interface Sync {
  readonly chain: Chain;
  readonly writer: Writer;
  readonly options: SyncOptions;
  readonly agreement: Agreement;
  readonly recordedTables: readonly ChainTableName[];
  /** True if a new genesis is followed, and a removed block accepted on a node's word. */
  readonly isDevelopment: boolean;
  /** Replaced when a development chain is reset. */
  identity: ChainIdentity;
  head: ServedHead | undefined;
  /** Excluded until a review finds it sound (`fetchTrustedHead`). */
  distrusted: Distrusted | undefined;
  /** True if state reads are postponed. Logged once, until they succeed again. */
  statePostponed: boolean;
  /** When a reorg began to wait for unreachable nodes. */
  unreachableSince: number | undefined;
  /** When all tracers first refused, before the first traced transaction. */
  refusedSince: number | undefined;
  /** An announced block that no node returns, and since when. */
  lacking: { number: number; since: number } | undefined;
  /** Contracts excluded from the reads of others. */
  readonly unresponsive: UnresponsiveContracts;
}

/** Returns the number of the published head, or the number before the start block. */
export function publishedNumber({ head, identity }: Sync): number {
  return head?.number ?? identity.startBlock - 1;
}

/** Reloads the head after a move. */
export async function loadHead(sync: Sync): Promise<void> {
  sync.head = await getServedHead(sync.writer.sql);
  sync.options.status.head = sync.head?.number ?? null;
}

/** Reports that the indexer follows the head. */
export function reportFollowing(sync: Sync): void {
  const { status } = sync.options;
  sync.lacking = undefined;
  status.phase = "following";
  status.reason = null;
}

/** Most state reads before a block is published; with more, its state is read in batches afterwards. */
const READ_MAXIMUM = 20_000;
/** Contracts are read in groups, so that one slow contract affects few others. */
const BUNCHES_AT_ONCE = 4;
/** Time limit of state reads while removed blocks are still served. */
const URGENT_PATIENCE_MS = 1_000;
/** These errors are about the node, not the contracts. */
const NODE_TROUBLE: ReadonlySet<string> = new Set([
  "unreachable",
  "rate-limited",
  "unauthorized",
  "method-missing",
  "state-unavailable",
  "other-chain",
  "busy",
]);
/** These errors mean that the chain changed during the read, which is not the node's fault. */
const REORGANISED: ReadonlySet<string> = new Set([
  "block-replaced",
  "block-unknown",
  "head-moved",
  "block-missing",
  "inconsistent-chain",
]);

/** Returns whether an error means that the chain changed since the work began. */
export function isReorg(error: unknown): boolean {
  return error instanceof ChainError && REORGANISED.has(error.code);
}

/** Reads state at a block; undefined when unreadable now. Notes unresponsive contracts. Throws when the block was replaced (`isReorg`). */
export async function readState(
  sync: Sync,
  keys: StateKeys,
  block: BlockReference,
  { isUrgent = false } = {},
): Promise<StateValues | undefined> {
  const ofNode = keys.filter(({ reading }) => !reading.contractOf);
  const ofContracts = keys.filter(({ reading }) => reading.contractOf);
  if (countKeys(ofNode) > READ_MAXIMUM) return undefined;
  return timeStage(sync.writer.metrics, "state", async () => {
    const asksContracts = countKeys(ofContracts) <= READ_MAXIMUM;
    const asked = asksContracts ? inBunches(ofContracts, LARGEST_GROUP) : [];
    const { unresponsive } = sync;
    const patienceMs = isUrgent
      ? URGENT_PATIENCE_MS
      : unresponsive.patienceMs(contractsOf(ofContracts));
    const inTime = AbortSignal.timeout(patienceMs);
    const [node, contracts] = await Promise.all([
      tryToRead(sync, ofNode, block, isUrgent ? inTime : sync.options.signal),
      mapLimit(asked, BUNCHES_AT_ONCE, async (keys) => {
        // Reads past the time limit stay pending, without counting against a contract.
        if (inTime.aborted) return undefined;
        const read = await tryToRead(sync, keys, block, inTime);
        return read instanceof ChainError ? { error: read, unanswered: contractsOf(keys) } : read;
      }),
    ]);
    if (node instanceof ChainError) return undefined;
    const read = contracts.filter((one) => one !== undefined);
    const rows = read.flatMap((one) => ("values" in one ? one.values.rows : []));
    const values = { block, rows: [...node.values.rows, ...rows], unresponsive: [] };
    if (isUrgent) return values;
    if (read.some((one) => "error" in one && NODE_TROUBLE.has(one.error.code))) return undefined;
    const unanswered = new Set(read.flatMap((one) => [...one.unanswered]));
    if (unanswered.size > 0) {
      unresponsive.add(unanswered);
      return { ...values, unresponsive: unresponsive.crowd() };
    }
    unresponsive.noteAnswered(contractsOf(ofContracts));
    sync.statePostponed = false;
    return values;
  });
}

async function tryToRead(sync: Sync, keys: StateKeys, block: BlockReference, signal: AbortSignal) {
  const { chain, options } = sync;
  try {
    return await fetchState(chain, keys, block, { signal, headWaits: true, reportReorgs: true });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (isReorg(error)) throw error;
    if (!sync.statePostponed) {
      sync.statePostponed = true;
      options.log.warn({ block: block.number }, `state reads postponed:  ${error.message}`);
    }
    return error;
  }
}
