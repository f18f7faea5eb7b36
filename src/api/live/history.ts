import type { BlockReference } from "../../chain/chain.ts";
import { ChainError } from "../../core/errors.ts";
import type { Queryable } from "../../db/client.ts";
import { getBlockReference } from "../../store/blocks.ts";
import type { Context } from "../action.ts";
import { type Failure, failed, type Outcome } from "../envelope.ts";

export const INVALID_BLOCK = "Invalid blockno format";
/** Error text for a state that the node has not kept. */
export const NO_HISTORY = "Historical state is not available";

/**
 * Answers from the node's state at an indexed block, and from what `query` reads from the index; a failure of `query`
 * is the answer. Fails with `invalid` for a block above the head, and with `NO_HISTORY` where the node has no state of
 * that block.
 */
export async function atIndexedBlock<Found, Result>(
  { read }: Context,
  blockNumber: number,
  query: (sql: Queryable) => Promise<Found | Failure>,
  answer: (block: BlockReference, found: Found) => Promise<Outcome<Result>>,
  invalid = INVALID_BLOCK,
): Promise<Outcome<Result>> {
  const { block, found } = await read(async (sql, head) => ({
    block:
      blockNumber <= (await head).number ? await getBlockReference(sql, blockNumber) : undefined,
    found: await query(sql),
  }));
  if (isFailure(found)) return found;
  if (!block) return failed(invalid);
  try {
    return await answer(block, found);
  } catch (error) {
    if (error instanceof ChainError && error.code === "state-unavailable") {
      return failed(NO_HISTORY);
    }
    throw error;
  }
}

function isFailure(found: unknown): found is Failure {
  return typeof found === "object" && found !== null && "kind" in found && found.kind === "failed";
}
