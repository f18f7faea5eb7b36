import { z } from "zod";
import { listBlocks } from "../../../../store/blocks/block-details.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, ok } from "../../envelope.ts";
import { blockBounds, blocksOf, offset, page, pageRange, windowCheck } from "../../params.ts";
import { blockRecord, presentBlock } from "../../present/block.ts";

const ROWS = 25;
const MOST_ROWS = 1000;

export const listblocks = defineAction({
  name: "listblocks",
  summary: "Blocks, newest first",
  params: z.object({ page, offset: offset(ROWS, MOST_ROWS), ...blockBounds }),
  result: z.array(blockRecord),
  empty: { blockscout: "No blocks found", etherscan: NO_RECORDS },
  example: {},
  check: windowCheck(MOST_ROWS),
  changesWithHead: true,
  async handle({ read }, input) {
    const found = await read((sql) => listBlocks(sql, blocksOf(input), pageRange(input)));
    return ok(found.map(presentBlock));
  },
});
