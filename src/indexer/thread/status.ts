import type { Tracer } from "../../chain/questions.ts";
import type { TokenMarks } from "../../store/state/tokens/marks.ts";
import type { SoftKind } from "../checks/check.ts";
import { initialProofs, type ProofStatus } from "../proof/proofs.ts";

/** What the indexer is doing. /health and the start-up output show it, and it is stored for other processes. */
export interface IndexerStatus {
  /**
   * `starting`, `standby` (another indexer writes), `waiting` (no node answers, or has the next block), `backfilling`,
   * `indexing` (building the indexes left out of a first load), `following` (at the head), `halted` (the node has
   * another chain).
   */
  phase: "starting" | "standby" | "waiting" | "backfilling" | "indexing" | "following" | "halted";
  /** Why the indexer waits or is halted. */
  reason: string | null;
  /** Null before the first binding to a chain. */
  chainId: number | null;
  nodeHead: number | null;
  head: number | null;
  backfill: BackfillProgress | null;
  /** The progress of building the indexes that a first load leaves out; null at other times. */
  indexes: { built: number; total: number } | null;
  /** The progress of replacing indexes of an earlier version while the chain is served; null at other times. */
  replacedIndexes: { built: number; total: number } | null;
  /** Blocks of an earlier version whose L1 fees are still to be read; null when there are none. */
  l1Fees: { unread: number } | null;
  /** Rows still to be read, by family, counted up to a limit; null before the first count. */
  pending: Readonly<Record<string, number>> | null;
  /** Tokens whose contracts say otherwise than their transfers; null before the first count. */
  tokens: TokenMarks | null;
  traces: { tracer: Tracer | null; reason: string | null };
  /** Blocks since the start that contradict themselves and were believed all the same, by kind (validate.ts). */
  accepted: Partial<Record<SoftKind, number>>;
  /** How the proofs of blocks go. */
  proofs: ProofStatus;
  /** Counts of compared and differing blocks and rows since the start, and the last difference. */
  audit: {
    checked: AuditCounts;
    differing: AuditCounts;
    last: string | null;
  };
  /** Roll-backs since the start, and the deepest in blocks. */
  reorgs: { count: number; deepest: number };
}

type AuditCounts = Record<string, number> & { blocks: number };

interface BackfillProgress {
  from: number;
  to: number;
  /** All blocks up to here are recorded. */
  recorded: number;
  blocksPerSecond: number;
  secondsLeft: number | null;
}

/** The status of an indexer at its start. */
export function initialStatus(): IndexerStatus {
  return {
    phase: "starting",
    reason: null,
    chainId: null,
    nodeHead: null,
    head: null,
    backfill: null,
    indexes: null,
    replacedIndexes: null,
    l1Fees: null,
    pending: null,
    tokens: null,
    traces: { tracer: null, reason: null },
    accepted: {},
    proofs: initialProofs(true),
    audit: { checked: { blocks: 0 }, differing: { blocks: 0 }, last: null },
    reorgs: { count: 0, deepest: 0 },
  };
}
