import type { BlockReference } from "../../chain/chain.ts";
import { ChainError } from "../../core/errors.ts";
import { getBlockReference } from "../../store/blocks.ts";
import type { Services } from "../action.ts";
import { failed, type Outcome } from "../envelope.ts";
import { atServedHead } from "../served-head.ts";

export const INVALID_BLOCK = "Invalid blockno format";
const NO_HISTORY = "Historical state is not available";

/**
 * Runs a read of the node's state at an indexed block. Fails in words for a block above the head, and where the node
 * keeps no state of that time.
 */
export async function atIndexedBlock<Result>(
  { sql }: Services,
  blockNumber: number,
  read: (block: BlockReference) => Promise<Outcome<Result>>,
): Promise<Outcome<Result>> {
  return atServedHead(sql, async (head) => {
    const block =
      blockNumber <= head.number ? await getBlockReference(sql, blockNumber) : undefined;
    if (!block) return failed(INVALID_BLOCK);
    try {
      return await read(block);
    } catch (error) {
      if (error instanceof ChainError && error.code === "state-unavailable") {
        return failed(NO_HISTORY);
      }
      throw error;
    }
  });
}
