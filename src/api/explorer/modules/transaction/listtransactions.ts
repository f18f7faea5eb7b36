import { z } from "zod";
import { listTransactionsOfBlocks } from "../../../../store/lists/address-transactions.ts";
import { defineAction } from "../../action.ts";
import { nameCalls } from "../../call-names.ts";
import { ok } from "../../envelope.ts";
import { blockBounds, blocksOf, offset, page, pageRange, sort, windowCheck } from "../../params.ts";
import { presentTransaction, transactionRecord } from "../../present/transaction.ts";

const ROWS = 25;
const MOST_ROWS = 1000;

export const listtransactions = defineAction({
  name: "listtransactions",
  summary: "Transactions of the whole chain or of a range of blocks, newest first",
  params: z.object({ page, offset: offset(ROWS, MOST_ROWS), sort, ...blockBounds }),
  result: {
    blockscout: z.array(transactionRecord.blockscout),
    etherscan: z.array(transactionRecord.etherscan),
  },
  empty: "No transactions found",
  example: {},
  check: windowCheck(MOST_ROWS),
  // Names of functions come from verified sources.
  changesWithHead: { blockscout: true, etherscan: false },
  async handle({ read, dialect }, input) {
    const blocks = blocksOf(input);
    const named = await read(async (sql) => {
      const rows = await listTransactionsOfBlocks(
        sql,
        blocks,
        input.sort ?? "desc",
        pageRange(input),
      );
      return dialect === "etherscan"
        ? nameCalls(sql, rows, (row) => row)
        : rows.map((entry) => ({ entry, call: undefined }));
    });
    return ok(named.map(({ entry, call }) => presentTransaction(entry, dialect, call)));
  },
});
