import { z } from "zod";
import { listBlocks } from "../../../../store/blocks/block-details.ts";
import { defineAction } from "../../action.ts";
import { NO_RECORDS, okPage } from "../../envelope.ts";
import { blockBounds, blocksOf, paging, windowCheck } from "../../params.ts";
import { blockRecord, presentBlock } from "../../present/block.ts";

const ROWS = 25;
const MOST_ROWS = 1000;

export const listblocks = defineAction({
  name: "listblocks",
  summary: "Blocks, newest first",
  params: z.object({ ...paging(ROWS, MOST_ROWS), ...blockBounds }),
  result: z.array(blockRecord),
  empty: { blockscout: "No blocks found", etherscan: NO_RECORDS },
  example: {},
  check: windowCheck(MOST_ROWS),
  cursor: "history",
  changesWithHead: true,
  async handle({ read, page }, input) {
    const found = await read((sql) => listBlocks(sql, blocksOf(input), page));
    return okPage(page, found, ({ number }) => [number], presentBlock);
  },
});
