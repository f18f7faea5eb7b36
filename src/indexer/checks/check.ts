import type { Oddity } from "../../chain/types.ts";
import type { Part } from "../proof/prove.ts";

/** Systematic errors of some chains' nodes. Such a block is stored whole once every node repeats it (checks/agreement.ts). */
export type SoftKind =
  | "bloom"
  | "block-left-out"
  | "cumulative-gas"
  | "log-index"
  | "no-uncle"
  | "odd-field"
  | "untraced-state-sync"
  | "uncovered-transactions"
  | Oddity["kind"]
  | `unproven-${Part}`;

/** The first inconsistency of a kind in a block. */
export interface SoftInconsistency {
  kind: SoftKind;
  reason: string;
}

/** Collects the failures of a part's checks. */
export interface Check {
  /** Refuses the block unless the condition holds. */
  requireThat(holds: boolean, reason: string): void;
  /** Records a soft inconsistency unless the condition holds. */
  prefer(holds: boolean, kind: SoftKind, reason: string): void;
}
