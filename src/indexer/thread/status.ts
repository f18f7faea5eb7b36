import type { Tracer } from "../../chain/questions.ts";
import type { TokenMarks } from "../../store/state/tokens/marks.ts";
import type { SoftKind } from "../checks/check.ts";
import { initialProofs, type ProofStatus } from "../proof/proofs.ts";

/** The indexer's status, for /health and the start-up output, stored for other processes. */
export interface IndexerStatus {
  /**
   * `starting`, `standby` (another indexer writes), `waiting` (no node answers, or has the next
   * block), `backfilling`, `indexing` (building the indexes deferred by a first load), `following`
   * (at the head), `halted` (the node has another chain).
   */
  phase: "starting" | "standby" | "waiting" | "backfilling" | "indexing" | "following" | "halted";
  reason: string | null;
  /** How long it has waited; 0 while not waiting. */
  waitSeconds: number;
  /** Null before the first binding to a chain. */
  chainId: number | null;
  nodeHead: number | null;
  head: number | null;
  backfill: BackfillProgress | null;
  /** Progress of building deferred indexes; null at other times. */
  indexes: { built: number; total: number } | null;
  /** Progress of replacing indexes of an earlier version while the chain is served; null at other times. */
  replacedIndexes: { built: number; total: number } | null;
  /** Blocks of an earlier version with unread L1 fees; null when there are none. */
  l1Fees: { unread: number } | null;
  /** Pending rows by family, counted up to a limit; null before the first count. */
  pending: Readonly<Record<string, number>> | null;
  /** Tokens whose contracts disagree with their transfers; null before the first count. */
  tokens: TokenMarks | null;
  /** `unread`: blocks of a chain begun without traces whose internal transactions are still to be indexed. */
  traces: { tracer: Tracer | null; reason: string | null; unread?: number };
  /** Self-contradictory blocks accepted since the start, by kind (validate.ts). */
  accepted: Partial<Record<SoftKind, number>>;
  /** Status of the proofs of blocks. */
  proofs: ProofStatus;
  /** Counts of compared and differing blocks and rows since the start, and the last difference. */
  audit: {
    checked: AuditCounts;
    differing: AuditCounts;
    last: string | null;
  };
  reorgs: { count: number; deepest: number };
}

type AuditCounts = Record<string, number> & { blocks: number };

interface BackfillProgress {
  from: number;
  to: number;
  recorded: number;
  blocksPerSecond: number;
  secondsLeft: number | null;
}

/** Returns the status of an indexer at its start. */
export function initialStatus(): IndexerStatus {
  return {
    phase: "starting",
    reason: null,
    waitSeconds: 0,
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
