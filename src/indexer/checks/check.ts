import type { Oddity } from "../../chain/types.ts";
import type { Part } from "../proof/prove.ts";

/** Inconsistencies that some chains have in every block; accepted once every node repeats them (checks/agreement.ts). */
export type SoftKind =
  | "bloom"
  | "cumulative-gas"
  | "log-index"
  | "odd-field"
  | "untraced-state-sync"
  | "uncovered-transactions"
  | Oddity["kind"]
  | `unproven-${Part}`;

/** The first disagreement of a kind in a block. */
export interface SoftInconsistency {
  kind: SoftKind;
  reason: string;
}

/** How a part of a block is checked. */
export interface Check {
  /** Refuses the block unless the condition holds. */
  requireThat(holds: boolean, reason: string): void;
  /** Notes a soft inconsistency unless the condition holds. */
  prefer(holds: boolean, kind: SoftKind, reason: string): void;
}
