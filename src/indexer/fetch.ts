import type { AskOptions, Chain, NodeName } from "../chain/chain.ts";
import type { FetchedBlock } from "../chain/types.ts";
import { ChainError } from "../core/errors.ts";
import { type Metrics, timeStage } from "../telemetry/metrics.ts";
import { validateBlock } from "./validate.ts";

/** Validated blocks of one node. */
export interface ValidBlocks {
  node: NodeName;
  /** As many as the node has of those asked for, without a hole. */
  blocks: FetchedBlock[];
}

export interface FetchOptions {
  from: number;
  to: number;
  /** Blocks without traces are refused. */
  traced: boolean;
  /** A node to be left out while there is another. */
  avoid?: NodeName | undefined;
  metrics: Metrics;
}

/**
 * Fetches and validates the blocks `from` to `to`; fewer when the node's chain ends before. An answer that contradicts
 * itself is asked for once more, of another node if there is one.
 * Throws `ChainError`.
 */
export async function fetchValidBlocks(
  chain: Chain,
  { from, to, traced, avoid, metrics }: FetchOptions,
): Promise<ValidBlocks> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const fetch = (options: AskOptions) =>
    timeStage(metrics, "fetch", () => chain.fetchBlocks(numbers, { ...options, traces: traced }));
  const first = await fetch(avoid === undefined ? {} : { avoid });
  try {
    return validate(first.node, numbers, first.blocks, traced);
  } catch (error) {
    if (!(error instanceof ChainError && error.retryable)) throw error;
    metrics.rejectedPayloads.inc({ reason: error.code });
    const second = await fetch({ avoid: first.node });
    return validate(second.node, numbers, second.blocks, traced);
  }
}

function validate(
  node: NodeName,
  numbers: readonly number[],
  fetched: readonly (FetchedBlock | null)[],
  traced: boolean,
): ValidBlocks {
  const end = fetched.indexOf(null);
  const blocks = (end < 0 ? fetched : fetched.slice(0, end)) as FetchedBlock[];
  for (const [index, block] of blocks.entries()) {
    const number = numbers[index] as number;
    validateBlock(number, block);
    const before = blocks[index - 1];
    if (before && before.block.hash !== block.block.parentHash) {
      throw new ChainError(
        "inconsistent-chain",
        `block ${number} does not continue the one before`,
        {
          retryable: true,
        },
      );
    }
    if (traced && !block.traces) {
      throw new ChainError("traces-missing", `${node} has no traces of block ${number}`, {
        retryable: true,
      });
    }
  }
  return { node, blocks };
}
