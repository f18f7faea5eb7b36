import { z } from "zod";
import { listTransactionsOfBlocks } from "../../../../store/lists/address-transactions.ts";
import { readL1Fees } from "../../../../store/lists/l1-fees.ts";
import { defineAction } from "../../action.ts";
import { nameCalls } from "../../call-names.ts";
import { okPage } from "../../envelope.ts";
import { blockBounds, blocksOf, paging, sort, windowCheck } from "../../params.ts";
import {
  keyOfTransaction,
  presentTransaction,
  transactionRecord,
} from "../../present/transaction.ts";

const ROWS = 25;
const MOST_ROWS = 1000;

export const listtransactions = defineAction({
  name: "listtransactions",
  summary: "Transactions of the whole chain or of a range of blocks, newest first",
  params: z.object({ ...paging(ROWS, MOST_ROWS), sort, ...blockBounds }),
  result: {
    blockscout: z.array(transactionRecord.blockscout),
    etherscan: z.array(transactionRecord.etherscan),
  },
  empty: "No transactions found",
  example: {},
  check: windowCheck(MOST_ROWS),
  cursor: "history",
  // Names of functions come from verified sources.
  changesWithHead: { blockscout: true, etherscan: false },
  async handle({ read, dialect, page }, input) {
    const blocks = blocksOf(input);
    const { named, l1FeeOf } = await read(async (sql, served) => {
      const rows = await listTransactionsOfBlocks(sql, blocks, input.sort ?? "desc", page);
      if (dialect === "blockscout")
        return { named: rows.map((entry) => ({ entry, call: undefined })) };
      const named = await nameCalls(sql, rows, (row) => row);
      return { named, l1FeeOf: await readL1Fees(sql, rows, (await served).l1FeesFrom) };
    });
    return okPage(
      page,
      named,
      ({ entry }) => keyOfTransaction(entry),
      ({ entry, call }) => presentTransaction(entry, dialect, call, l1FeeOf),
    );
  },
});
