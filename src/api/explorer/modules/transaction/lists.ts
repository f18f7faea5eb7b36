import { z } from "zod";
import { listTransactionsOfBlocks } from "../../../../store/lists/address-transactions.ts";
import { listTransfersOfTransaction } from "../../../../store/lists/token-transfers.ts";
import { withHead } from "../../../reading/snapshot.ts";
import { defineAction } from "../../action.ts";
import { completeTransactions, type ListedTransaction } from "../../call-names.ts";
import { failed, NO_RECORDS, okPage } from "../../envelope.ts";
import { fetchEarlierReceipt, notIndexed } from "../../from-node/transactions/earlier-blocks.ts";
import { blockBounds, blocksOf, paging, sort, windowCheck } from "../../params.ts";
import { defineRecord, listOf } from "../../present/record.ts";
import { transaction } from "../../present/transaction.ts";
import * as wire from "../../wire.ts";
import { txhash } from "./transactions.ts";

const MOST_ROWS = 1000;

const listtransactions = defineAction({
  name: "listtransactions",
  summary: "Transactions of the whole chain or of a range of blocks, newest first",
  params: z.object({ ...paging(25, MOST_ROWS), sort, ...blockBounds }),
  result: listOf(transaction),
  empty: "No transactions found",
  example: {},
  check: windowCheck(MOST_ROWS),
  cursor: "history",
  // Names of functions come from verified sources.
  changesWithHead: { blockscout: true, etherscan: false },
  async handle({ read, dialect, page }, input) {
    const blocks = blocksOf(input);
    const rows = await read(async (sql, served): Promise<ListedTransaction[]> => {
      const found = await listTransactionsOfBlocks(sql, blocks, input.sort ?? "desc", page);
      return dialect === "blockscout" ? found : completeTransactions(sql, found, served);
    });
    return okPage(page, rows, transaction[dialect]);
  },
});

type TransferOfTransaction = Awaited<ReturnType<typeof listTransfersOfTransaction>>[number];

const transfer = defineRecord<TransferOfTransaction>(undefined, (row) => [
  row.logIndex,
  row.batchIndex,
])({
  logIndex: [wire.decimal, (row) => String(row.logIndex)],
  from: [wire.address, (row) => row.from],
  to: [wire.address, (row) => row.to],
  contractAddress: [wire.address, (row) => row.token],
  tokenType: [wire.tokenType, (row) => `ERC-${row.standard}` as const],
  tokenID: [wire.decimalOrEmpty, (row) => row.tokenId ?? ""],
  value: [wire.decimalOrEmpty, (row) => row.amount ?? ""],
  tokenName: [z.string(), (row) => row.tokenName ?? ""],
  tokenSymbol: [z.string(), (row) => row.tokenSymbol ?? ""],
  tokenDecimal: [wire.decimalOrEmpty, (row) => String(row.tokenDecimals ?? "")],
});

const listtransfers = defineAction({
  name: "listtransfers",
  summary: "Token transfers of a transaction, of all standards",
  params: z.object({ txhash, ...paging(100, MOST_ROWS) }),
  result: z.array(transfer.schema),
  empty: { blockscout: "No token transfers found", etherscan: NO_RECORDS },
  example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
  check: windowCheck(MOST_ROWS),
  cursor: "history",
  async handle({ read, chain, page }, input) {
    const { found: rows, head } = await withHead(read, (sql) =>
      listTransfersOfTransaction(sql, input.txhash, page),
    );
    if (rows.length === 0 && (await fetchEarlierReceipt(chain, input.txhash, head))) {
      return failed("not-found", notIndexed(head));
    }
    return okPage(page, rows, transfer);
  },
});

export const transactionLists = [listtransactions, listtransfers];
