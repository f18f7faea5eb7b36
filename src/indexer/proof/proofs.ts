import type { BaseLogger } from "pino";
import type { FetchedBlock } from "../../chain/types.ts";
import { ChainError } from "../../core/errors.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { PARTS, type Part, prove } from "./prove.ts";

/** `whole`: everything; `sample`: the header, and all of some blocks; `none`: nothing. */
export type ProofScope = "whole" | "sample" | "none";

interface PartStatus {
  /** Blocks since the start with this part proven. */
  proven: number;
  /** Blocks since the start with this part unproven while every node repeated it. */
  unproven: number;
  /** Why the part is disabled; null while it is proven. */
  off: string | null;
}

export type ProofStatus = Record<Part, PartStatus>;

/** An unproven part with the reason. */
interface Unproven {
  part: Part;
  reason: string;
}

/** Facts about the chain at the start of indexing. */
export interface ProofGround {
  /** Parts that were proven on this chain before. */
  proven: readonly string[];
  /** True if the node is a development node, whose blocks may break the rules: nothing is refused then. */
  isDevelopment: boolean;
}

export interface ProofsOptions {
  /** False: nothing is proven. */
  enabled: boolean;
  metrics: Metrics;
  log: Pick<BaseLogger, "info" | "warn">;
  status: { proofs: ProofStatus };
  /** Stores that a part is proven on this chain. */
  remember(part: Part): Promise<void>;
}

/** One block in this many is proven whole in a sample. */
const SAMPLE = 64;
/** Unproven blocks after which a never proven part counts as encoded differently on this chain. */
const ATTEMPTS = 3;
const SWITCHED_OFF = "PROOFS=off";

/** Returns the status before the first block. */
export function initialProofs(enabled: boolean): ProofStatus {
  const off = enabled ? null : SWITCHED_OFF;
  const status = () => ({ proven: 0, unproven: 0, off });
  return Object.fromEntries(PARTS.map((part) => [part, status()])) as ProofStatus;
}

/** See `createProofs`. */
export type Proofs = ReturnType<typeof createProofs>;

/** Creates the proofs of a chain's blocks. */
export function createProofs({ enabled, metrics, log, status, remember }: ProofsOptions) {
  let established = new Set<string>();
  let isDevelopment = false;
  status.proofs = initialProofs(enabled);

  return {
    /** Returns whether the node is a development node, whose blocks may break every rule. */
    isDevelopment: (): boolean => isDevelopment,

    /** Starts with a chain. */
    begin(ground: ProofGround): void {
      established = new Set(ground.proven);
      ({ isDevelopment } = ground);
      status.proofs = initialProofs(enabled);
    },

    /** Returns the unproven parts. Throws `ChainError` of code `unproven-block` when this chain had one of them proven before. */
    async examine(fetched: FetchedBlock, scope: ProofScope): Promise<Unproven[]> {
      const unproven: Unproven[] = [];
      for (const part of partsOf(scope)) {
        const known = status.proofs[part];
        if (known.off !== null) continue;
        const verdict = await prove(part, fetched);
        if (verdict.outcome === "nothing") continue;
        metrics.blockProofs.inc({ part, outcome: verdict.outcome });
        if (verdict.outcome === "proven") {
          known.proven++;
          if (!established.has(part)) {
            await remember(part);
            established.add(part);
          }
        } else if (verdict.outcome === "failed" && established.has(part) && !isDevelopment) {
          throw new ChainError(
            "unproven-block",
            `the node's answer for block ${fetched.block.number} is proven wrong: ${verdict.reason}`,
          );
        } else {
          unproven.push({ part, reason: verdict.reason });
        }
      }
      return unproven;
    },

    /** Records that a block is accepted without these proofs. */
    accept(unproven: readonly Unproven[]): void {
      for (const { part, reason } of unproven) {
        const known = status.proofs[part];
        known.unproven++;
        if (established.has(part) || known.unproven < ATTEMPTS) continue;
        known.off = reason;
        log.info({ part, reason }, "root check disabled for this chain");
      }
    },
  };
}

/** Returns the parts to prove. Every header is proven: parent hashes link all blocks to the newest. */
function partsOf(scope: ProofScope): readonly Part[] {
  if (scope === "none") return [];
  return scope === "whole" || Math.random() * SAMPLE < 1 ? PARTS : ["header"];
}
