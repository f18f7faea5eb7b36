import type { CallerChain } from "../../../chain/caller-chain.ts";
import type { BlockReference } from "../../../chain/questions.ts";
import { ChainError } from "../../../core/errors.ts";
import type { Queryable } from "../../../db/client.ts";
import { getBlockReference } from "../../../store/blocks/blocks.ts";
import type { Context } from "../action.ts";
import { type Failure, failed, type Outcome } from "../envelope.ts";

export const INVALID_BLOCK = "Invalid blockno format";
/** Error text for a state that the node has pruned. */
export const NO_HISTORY = "Historical state is not available";

/** A block up to the head. */
export interface PastBlock extends BlockReference {
  /** False for a block before the first indexed one. */
  isIndexed: boolean;
}

/**
 * Combines the node's state at a block with what `query` reads. A block above the head is a bad `parameter`; fails with `NO_HISTORY`
 * without state.
 */
export async function atBlock<Found, Result>(
  { read, chain }: Context,
  blockNumber: number,
  query: (sql: Queryable) => Promise<Found | Failure>,
  answer: (block: PastBlock, found: Found) => Promise<Outcome<Result>>,
  parameter = "blockno",
): Promise<Outcome<Result>> {
  const { isAbove, stored, found } = await read(async (sql, head) => ({
    isAbove: blockNumber > (await head).number,
    stored: await getBlockReference(sql, blockNumber),
    found: await query(sql),
  }));
  if (isFailure(found)) return found;
  if (isAbove) return failed("invalid-parameter", `Invalid ${parameter} format`, { parameter });
  const answered = await atState(chain, blockNumber, stored, (block) => answer(block, found));
  return answered ?? failed("state-unavailable", NO_HISTORY);
}

/** Reads the node's state at a block up to the head; undefined where the node has none. The node names blocks before the index. */
export async function atState<Result>(
  chain: CallerChain,
  blockNumber: number,
  stored: BlockReference | undefined,
  task: (block: PastBlock) => Promise<Result>,
): Promise<Result | undefined> {
  const block = stored ?? (await chain.fetchHeader(blockNumber));
  if (!block) return undefined;
  try {
    return await task({ ...block, isIndexed: stored !== undefined });
  } catch (error) {
    if (error instanceof ChainError && error.code === "state-unavailable") return undefined;
    throw error;
  }
}

function isFailure(found: unknown): found is Failure {
  return typeof found === "object" && found !== null && "kind" in found && found.kind === "failed";
}
