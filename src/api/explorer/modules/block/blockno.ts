import type { ServedHead } from "../../../../store/sync-state.ts";
import { type Failure, failed } from "../../envelope.ts";
import { notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { blockNumber } from "../../params.ts";

/** Texts of the parameter `blockno` in this module. */
export const BLOCKNO_TEXTS = {
  required: "Query parameter 'blockno' is required",
  invalid: "Invalid block number",
};

const BLOCK_UNKNOWN = "Block does not exist";

/** Returns the failure for a block missing in the index, by its number where known. */
export function unknownBlock(head: ServedHead, number?: number): Failure {
  const isEarlier = number !== undefined && number < head.startBlock;
  return failed("not-found", isEarlier ? notIndexed(head) : BLOCK_UNKNOWN);
}

export const blockno = blockNumber(BLOCKNO_TEXTS);
