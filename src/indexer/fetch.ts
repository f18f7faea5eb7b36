import type { AskOptions, Chain, FetchedBlocks, NodeName } from "../chain/chain.ts";
import type { FetchedBlock } from "../chain/types.ts";
import { ChainError, messageOf } from "../core/errors.ts";
import { type Metrics, timeStage } from "../telemetry/metrics.ts";
import { validateBlock } from "./validate.ts";

export interface FetchOptions<Made> {
  from: number;
  to: number;
  /** Blocks without traces are refused. */
  traced: boolean;
  /** A node to be left out while there is another. */
  avoid?: NodeName | undefined;
  metrics: Metrics;
  /** Makes of the validated blocks, as many as the node has of those asked for without a hole, what is wanted of them. */
  make(blocks: readonly FetchedBlock[]): Promise<Made>;
}

/**
 * Fetches and validates the blocks `from` to `to`; fewer when the node's chain ends before. Gives what `make` made of
 * them. An answer that contradicts itself, or that nothing can be made of, is asked for once more, of another node if
 * there is one. Throws `ChainError`.
 */
export async function fetchValidBlocks<Made>(
  chain: Chain,
  { from, to, traced, avoid, metrics, make }: FetchOptions<Made>,
): Promise<Made> {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const fetch = (options: AskOptions) =>
    timeStage(metrics, "fetch", () => chain.fetchBlocks(numbers, { ...options, traces: traced }));
  const read = async ({ node, blocks }: FetchedBlocks): Promise<Made> => {
    const valid = validate(node, numbers, blocks, traced);
    return make(valid).catch((error: unknown) => {
      if (error instanceof ChainError) throw error;
      throw new ChainError(
        "inconsistent-block",
        `${node} gave a malformed answer for one of the blocks ${from} to ${to}: ${messageOf(error)}`,
        { retryable: true },
      );
    });
  };
  const first = await fetch(avoid === undefined ? {} : { avoid });
  try {
    return await read(first);
  } catch (error) {
    if (!(error instanceof ChainError && error.retryable)) throw error;
    metrics.rejectedPayloads.inc({ reason: error.code });
    const second = await fetch({ avoid: first.node });
    return await read(second);
  }
}

function validate(
  node: NodeName,
  numbers: readonly number[],
  fetched: readonly (FetchedBlock | null)[],
  traced: boolean,
): readonly FetchedBlock[] {
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
  return blocks;
}
