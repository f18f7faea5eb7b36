import type { Tracer } from "../chain/chain.ts";
import { initialProofs, type ProofStatus } from "./proof/proofs.ts";
import type { SoftKind } from "./validate.ts";

/** What the indexer is doing: shown by /health and the start-up output, and stored for other processes. */
export interface IndexerStatus {
  /**
   * `starting`, `standby` (another indexer writes), `waiting` (no node answers), `backfilling`, `indexing` (building
   * the indexes left out of a first load), `following` (at the head), `halted` (the node has another chain).
   */
  phase: "starting" | "standby" | "waiting" | "backfilling" | "indexing" | "following" | "halted";
  /** Why the indexer waits or is halted. */
  reason: string | null;
  chainId: number | null;
  nodeHead: number | null;
  head: number | null;
  backfill: BackfillProgress | null;
  /** While the indexes left out of a first load are built: how many of them stand. */
  indexes: { built: number; total: number } | null;
  /** State still to be read from the node, by family, counted up to a limit; null before it was counted. */
  pending: Readonly<Record<string, number>> | null;
  traces: { tracer: Tracer | null; reason: string | null };
  /** Blocks since the start that were believed though they contradict themselves, by kind (validate.ts). */
  accepted: Partial<Record<SoftKind, number>>;
  /** What is proven of the blocks. */
  proofs: ProofStatus;
  /** What the auditor compared with the nodes since the start, how much of it differed, and the last difference. */
  audit: {
    checked: Record<AuditKind, number>;
    differing: Record<AuditKind, number>;
    last: string | null;
  };
  /** Roll-backs since the start, and the deepest in blocks. */
  reorgs: { count: number; deepest: number };
}

/** Rows of a block, balances of accounts, holdings of tokens. */
export type AuditKind = "blocks" | "coins" | "holdings";

interface BackfillProgress {
  from: number;
  to: number;
  /** Blocks up to here are recorded whole. */
  recorded: number;
  blocksPerSecond: number;
  secondsLeft: number | null;
}

/** The status of an indexer that has just begun. */
export function initialStatus(): IndexerStatus {
  return {
    phase: "starting",
    reason: null,
    chainId: null,
    nodeHead: null,
    head: null,
    backfill: null,
    indexes: null,
    pending: null,
    traces: { tracer: null, reason: null },
    accepted: {},
    proofs: initialProofs(true),
    audit: {
      checked: { blocks: 0, coins: 0, holdings: 0 },
      differing: { blocks: 0, coins: 0, holdings: 0 },
      last: null,
    },
    reorgs: { count: 0, deepest: 0 },
  };
}
