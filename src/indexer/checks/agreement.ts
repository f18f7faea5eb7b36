import { isDeepStrictEqual } from "node:util";
import type { BaseLogger } from "pino";
import type { Chain } from "../../chain/chain.ts";
import type { NodeName } from "../../chain/options.ts";
import { type Gain, Retry } from "../../chain/retry.ts";
import type { FetchedBlock } from "../../chain/types.ts";
import { asUnanswered, ChainError } from "../../core/errors.ts";
import { quantity, quantityToNumber } from "../../core/evm/quantity.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { ProofGround, ProofScope, Proofs } from "../proof/proofs.ts";
import type { Part } from "../proof/prove.ts";
import type { IndexerStatus } from "../thread/status.ts";
import type { SoftInconsistency, SoftKind } from "./check.ts";
import { InconsistentBlockError, validateBlock } from "./validate.ts";

interface Answer {
  blockNumber: number;
  node: NodeName;
  fetched: FetchedBlock;
  /** True if a block without traces is refused. */
  traced: boolean;
  /** Which parts of the block to prove. */
  proof: ProofScope;
}

export interface AgreementOptions {
  chain: Chain;
  metrics: Metrics;
  log: Pick<BaseLogger, "warn">;
  status: Pick<IndexerStatus, "accepted">;
  proofs: Proofs;
}

/** Agreeing answers needed to accept a soft inconsistency. */
const ANSWERS = 3;
/** After this many blocks with a kind of inconsistency, the next one with it is accepted at once. */
const HABIT_BLOCKS = 3;
/** Refused even if every node repeats them, since all may have pruned or cut their lists alike. */
const REFUSED: ReadonlySet<SoftKind> = new Set(["no-receipt", "no-transaction"]);
/** Kinds that a lagging node causes by leaving out transactions: they require a proof of the whole block, where possible. */
const LEFT_OUT: ReadonlySet<SoftKind> = new Set(["not-executed", ...REFUSED]);

/** An inconsistency of a block. `part` is set for an unproven part. */
interface Found extends SoftInconsistency {
  part?: Part;
}

/** See `createAgreement`. */
export type Agreement = ReturnType<typeof createAgreement>;

/** Creates the check of nodes' answers, which counts the chain's inconsistencies while the indexer lives. */
export function createAgreement(options: AgreementOptions) {
  const { chain, metrics, log, status, proofs } = options;
  return {
    /** Starts with a chain; called again when another one takes its place. */
    begin: (ground: ProofGround): void => proofs.begin(ground),
    /**
     * Returns the block to store. Soft findings need three answers that repeat them within `retry`, or a better block. Throws
     * `ChainError` of code `inconsistent-block`, `unproven-block` or `traces-missing`.
     */
    async confirm(answer: Answer, retry: Retry): Promise<FetchedBlock> {
      const found = await examine(answer);
      if (found.length === 0) return answer.fetched;
      if (found.every(({ kind }) => isHabit(kind))) return accept(answer, found);
      const better = await findBetter(answer, found, retry);
      if (!better && found.some(({ kind }) => REFUSED.has(kind))) refuse(answer.blockNumber, found);
      return better ?? accept(answer, found);
    },
  };

  function isHabit(kind: SoftKind): boolean {
    // Development nodes accept unsigned transactions, by impersonation.
    if (kind.startsWith("unproven-") && proofs.isDevelopment()) return true;
    // A log may be missing in one block alone.
    return kind !== "log-index" && (status.accepted[kind] ?? 0) >= HABIT_BLOCKS;
  }

  /** Returns a block without contradictions; undefined when all answering nodes repeat the first. */
  async function findBetter(first: Answer, found: readonly Found[], retry: Retry) {
    const { blockNumber, traced, proof } = first;
    const nodes = [...chain.nodes.filter((node) => node !== first.node), first.node];
    const words = new Map([[first.node, first.fetched]]);
    let answers = 1;
    let gain: Gain = "known";
    for (let asked = 0; asked < nodes.length || answers < ANSWERS; asked++) {
      if (!(await retry.again(gain))) refuse(blockNumber, found);
      gain = "nothing";
      const node = nodes[asked % nodes.length] as NodeName;
      const fetched = await askOnce(node, blockNumber, traced, retry.stop);
      if (!fetched) continue;
      if (fetched.block.hash !== first.fetched.block.hash) {
        if (words.has(node)) refuse(blockNumber, found);
        continue;
      }
      // An invalid answer of another node counts as none.
      const other = { blockNumber, node, fetched, traced, proof };
      const again = await examine(other).catch(asUnanswered);
      if (!again) continue;
      if (again.length === 0) {
        metrics.rejectedPayloads.inc({ reason: "inconsistent-block" });
        return fetched;
      }
      const before = words.get(node) ?? fetched;
      if (kindsOf(again) !== kindsOf(found) || !isDeepStrictEqual(fetched, before)) {
        refuse(blockNumber, found);
      }
      words.set(node, fetched);
      answers++;
      gain = "known";
    }
    return undefined;
  }

  /** Returns undefined when the node has no answer, which does not count against the block; nor does another block. */
  async function askOnce(
    node: NodeName,
    blockNumber: number,
    traces: boolean,
    stop: AbortSignal | undefined,
  ): Promise<FetchedBlock | undefined> {
    const retry = new Retry(stop, { attempts: 1 });
    const asked = { node, traces, signal: stop, headWaits: true, retry };
    const given = await chain.fetchBlocks([blockNumber], asked).catch(asUnanswered);
    return given?.blocks[0] ?? undefined;
  }

  async function examine(answer: Answer): Promise<Found[]> {
    const { blockNumber, node, fetched, traced, proof } = answer;
    const found: Found[] = validateBlock(blockNumber, fetched);
    if (traced && !fetched.traces) {
      throw new ChainError("traces-missing", `${node} has no traces of block ${blockNumber}`);
    }
    const isShortened = proof !== "none" && found.some(({ kind }) => LEFT_OUT.has(kind));
    for (const { part, reason } of await proofs.examine(fetched, isShortened ? "whole" : proof)) {
      found.push({ kind: `unproven-${part}`, reason, part });
    }
    return found;
  }

  function accept({ fetched }: Answer, found: readonly Found[]): FetchedBlock {
    proofs.accept(found.flatMap(({ part, reason }) => (part ? [{ part, reason }] : [])));
    for (const { kind, reason } of found) {
      metrics.acceptedInconsistencies.inc({ kind });
      const before = status.accepted[kind] ?? 0;
      status.accepted[kind] = before + 1;
      if (before > 0) continue;
      log.warn(
        { kind, block: quantityToNumber(fetched.block.number) },
        `inconsistent block accepted, since every node repeats it: ${reason}`,
      );
    }
    return withDistinctLogIndexes(fetched);
  }
}

function refuse(blockNumber: number, found: readonly SoftInconsistency[]): never {
  throw new InconsistentBlockError(blockNumber, found.map(({ reason }) => reason).join("; "));
}

function kindsOf(found: readonly SoftInconsistency[]): string {
  return found
    .map(({ kind }) => kind)
    .sort()
    .join();
}

/** Numbers the logs through the block, where a node restarts at each transaction. */
function withDistinctLogIndexes(fetched: FetchedBlock): FetchedBlock {
  const indexes = fetched.receipts.flatMap(({ logs }) =>
    logs.map(({ logIndex }) => quantityToNumber(logIndex)),
  );
  const isRising = indexes.every((index, position) => index > (indexes[position - 1] ?? -1));
  if (isRising) return fetched;
  let next = 0;
  const receipts = fetched.receipts.map((receipt) => ({
    ...receipt,
    logs: receipt.logs.map((one) => ({ ...one, logIndex: quantity(next++) })),
  }));
  return { ...fetched, receipts };
}
