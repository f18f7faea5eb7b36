import { blockNumber } from "../../params.ts";

/** Texts of the parameter `blockno` in this module. */
export const BLOCKNO_TEXTS = {
  required: "Query parameter 'blockno' is required",
  invalid: "Invalid block number",
};

export const BLOCK_UNKNOWN = "Block does not exist";

export const blockno = blockNumber(BLOCKNO_TEXTS);
