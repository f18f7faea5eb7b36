import { z } from "zod";
import { isQuantity } from "../../../core/evm/quantity.ts";
import { isRecord } from "../../../core/json/record.ts";
import { listTransactionsOfBlocks } from "../../../store/lists/address-transactions.ts";
import { readL1Fees } from "../../../store/lists/l1-fees.ts";
import type { TransactionLog } from "../../../store/lists/logs.ts";
import { listTransfersOfTransaction } from "../../../store/lists/token-transfers.ts";
import {
  getTransaction,
  listLogsOfTransaction,
  readTransactionDetails,
  type TransactionDetail,
} from "../../../store/lists/transactions.ts";
import { withHead } from "../../reading/snapshot.ts";
import { defineAction } from "../action.ts";
import { completeTransactions, type ListedTransaction } from "../call-names.ts";
import { failed, NO_RECORDS, ok, okPage } from "../envelope.ts";
import {
  fetchRevertData,
  fetchRevertedCalls,
  findRevertLines,
  type RevertLine,
} from "../from-node/transactions/reverts.ts";
import { findTransaction, refuseEarlier } from "../from-node/transactions/unindexed.ts";
import { blockBounds, blocksOf, flag, hash, integer, paging, sort } from "../params.ts";
import { fourTopics } from "../present/log.ts";
import { l1FeesPaid, transaction } from "../present/transaction.ts";
import { presentTransactionDetails, transactionDetails } from "../present/transaction-details.ts";
import * as wire from "../wire.ts";

/** The transaction of an action of this module. */
const txhash = hash({
  required: "Query parameter txhash is required",
  invalid: "Invalid txhash format",
}).describe("Transaction");

const LOGS_PER_PAGE = 50;
const LARGEST_LOG_INDEX = 2 ** 31 - 1;
/** Parameters that the reference omits when it repeats the request in its answer. */
const NOT_GIVEN_BACK = ["apikey", "type", "method", "filter", "q", "sort", "order"];

const index = integer({ invalid: "" })
  .transform((value) => Math.max(-1, Math.min(Number(value), LARGEST_LOG_INDEX)))
  .default(-1)
  .catch(-1)
  .describe("Lists the logs after the one with this index; -1 starts at the first");

const details = flag(
  "`true`: adds type, nonce, fees, created contract, and call, logs and error as decoded by verified ABIs",
);

const log = wire.defineRecord<TransactionLog>()({
  address: [wire.address, (row) => row.address],
  topics: [z.array(wire.hash.nullable()).length(4), fourTopics],
  data: [wire.data, (row) => row.data],
  index: [wire.decimal, (row) => String(row.logIndex)],
});

interface Shown extends TransactionDetail {
  logs: readonly TransactionLog[];
  reason: string;
  l1Fee: string | undefined;
  next: Record<string, unknown> | null;
  details: z.output<typeof transactionDetails> | undefined;
}

const shown = wire.defineRecord<Shown>()({
  hash: [wire.hash, (row) => row.hash],
  timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
  blockNumber: [wire.decimal, (row) => String(row.blockNumber)],
  confirmations: [wire.decimal, (row) => String(row.confirmations)],
  success: [z.boolean(), (row) => row.succeeded === true],
  from: [wire.address, (row) => row.from],
  to: [wire.addressOrEmpty, (row) => row.to ?? ""],
  value: [wire.decimal, (row) => row.value],
  input: [wire.data, (row) => row.input],
  gasLimit: [wire.decimal, (row) => row.gas],
  gasUsed: [wire.decimal, (row) => row.gasUsed],
  gasPrice: [wire.decimal, (row) => row.gasPrice],
  L1FeesPaid: [l1FeesPaid.optional(), (row) => row.l1Fee],
  logs: [z.array(log.schema), (row) => row.logs.map(log.present)],
  revertReason: [z.string(), (row) => row.reason],
  next_page_params: [z.record(z.string(), z.unknown()).nullable(), (row) => row.next],
  details: [transactionDetails.optional(), (row) => row.details],
});

const revertLine = wire.defineRecord<RevertLine>()({
  contractAddress: [wire.address, (row) => row.address],
  contractName: [z.string(), (row) => row.contractName],
  fileName: [z.string(), (row) => row.path],
  line: [wire.decimal, (row) => String(row.line)],
  code: [z.string(), (row) => row.text],
});

const MOST_ROWS = 1000;

type TransferOfTransaction = Awaited<ReturnType<typeof listTransfersOfTransaction>>[number];

const transfer = wire.defineRecord<TransferOfTransaction>((row) => [row.logIndex, row.batchIndex])({
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

export const transactions = {
  gettxinfo: defineAction({
    summary: "A transaction with its logs, 50 a page",
    params: z.object({ txhash, index, details }),
    result: shown.schema,
    example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
    async handle(context, input) {
      const { dialect } = context;
      const { transaction, found, more, l1FeeOf, head } = await context.read(
        async (sql, served) => {
          const transaction = await getTransaction(sql, input.txhash);
          const page = { after: input.index, limit: LOGS_PER_PAGE + 1 };
          const found = transaction && (await listLogsOfTransaction(sql, transaction, page));
          const shown = input.details ? found?.slice(0, LOGS_PER_PAGE) : undefined;
          const more =
            transaction &&
            shown &&
            (await readTransactionDetails(sql, transaction, shown, context.chainId()));
          const l1FeeOf =
            transaction && (dialect === "etherscan" || input.details)
              ? await readL1Fees(sql, [transaction], (await served).l1FeesFrom)
              : undefined;
          return { transaction, found, more, l1FeeOf, head: await served };
        },
      );
      if (!transaction || !found) {
        const earlier = await refuseEarlier(context.chain, input.txhash, head);
        return earlier ?? failed("not-found", "Transaction not found");
      }
      const logs = found.slice(0, LOGS_PER_PAGE);
      const { revertData, succeeded, traced } = transaction;
      const reason =
        succeeded === false && revertData === null && !traced
          ? await fetchRevertData(context, transaction)
          : revertData;
      const last = found.length > LOGS_PER_PAGE ? logs.at(-1) : undefined;
      return ok(
        shown.present({
          ...transaction,
          logs,
          reason: reason ?? "",
          l1Fee: dialect === "etherscan" ? l1FeeOf?.(transaction) : undefined,
          next: last
            ? {
                ...Object.fromEntries(
                  [...context.sent].filter(
                    ([name]) => !NOT_GIVEN_BACK.includes(name.toLowerCase()),
                  ),
                ),
                block_number: transaction.blockNumber,
                index: last.logIndex,
                items_count: LOGS_PER_PAGE,
              }
            : null,
          details:
            more &&
            (await presentTransactionDetails(more, transaction, logs, reason ?? "0x", l1FeeOf)),
        }),
      );
    },
  }),
  gettxreceiptstatus: defineAction({
    summary: "Status of a transaction's receipt; empty when there is none",
    params: z.object({ txhash }),
    result: z.object({ status: z.enum(["0", "1", ""]) }),
    example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
    changesWithHead: true,
    async handle(context, { txhash }) {
      const { transaction, earlier } = await findTransaction(context, txhash);
      const status = transaction?.status ?? earlier?.["status"];
      if (status === undefined) return ok({ status: "" as const });
      return ok({ status: Number(status) === 1 ? ("1" as const) : ("0" as const) });
    },
  }),
  getstatus: defineAction({
    summary: "Whether a transaction failed, and why",
    params: z.object({ txhash }),
    result: z.object({ isError: wire.flag, errDescription: z.string() }),
    example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
    changesWithHead: true,
    async handle(context, { txhash }) {
      const { transaction, earlier } = await findTransaction(context, txhash);
      if (earlier?.["status"] === "0x0") {
        const sent = await context.chain.request("eth_getTransactionByHash", [txhash]);
        const { gas } = isRecord(sent) ? sent : {};
        const { gasUsed } = earlier;
        const known = isQuantity(gas) && isQuantity(gasUsed);
        const errDescription = known ? deduceError({ error: null, gas, gasUsed }) : "";
        return ok({ isError: "1" as const, errDescription });
      }
      if (transaction?.succeeded !== false)
        return ok({ isError: "0" as const, errDescription: "" });
      return ok({ isError: "1" as const, errDescription: deduceError(transaction) });
    },
  }),
  getrevertlines: defineAction({
    summary:
      "The lines of verified sources at which a failed transaction reverted, innermost first",
    params: z.object({ txhash }),
    result: z.array(revertLine.schema),
    empty: "No source lines found",
    example: { txhash: "0x3c5a8c54d15fc7e43835e2898e5401f32f2f621ea8c24f0d93994487d2e2dfe1" },
    async handle({ chain, read }, { txhash }) {
      const [trace] = await Promise.allSettled([fetchRevertedCalls(chain, txhash)]);
      const calls = trace.status === "fulfilled" ? trace.value : undefined;
      const { transaction, lines, head } = await read(async (sql, served) => {
        const transaction = await getTransaction(sql, txhash);
        const hasFailed = transaction?.succeeded === false;
        const lines =
          hasFailed && calls && (await findRevertLines(sql, calls, transaction.blockNumber));
        return { transaction, lines, head: await served };
      });
      if (!transaction) {
        const earlier = await refuseEarlier(chain, txhash, head);
        return earlier ?? failed("not-found", "Transaction not found");
      }
      if (transaction.succeeded !== false) return ok([]);
      if (trace.status === "rejected") throw trace.reason;
      if (!lines) return failed("unsupported", "The node does not trace this transaction");
      return ok(lines.map(revertLine.present));
    },
  }),
  listtransactions: defineAction({
    summary: "Transactions of the whole chain or of a range of blocks, newest first",
    params: z.object({ ...paging(25, MOST_ROWS), sort, ...blockBounds }),
    result: wire.listOf(transaction),
    empty: "No transactions found",
    example: {},
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
  }),
  listtransfers: defineAction({
    summary: "Token transfers of a transaction, of all standards",
    params: z.object({ txhash, ...paging(100, MOST_ROWS) }),
    result: z.array(transfer.schema),
    empty: { blockscout: "No token transfers found", etherscan: NO_RECORDS },
    example: { txhash: "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8" },
    cursor: "history",
    async handle({ read, chain, page }, input) {
      const { found: rows, head } = await withHead(read, (sql) =>
        listTransfersOfTransaction(sql, input.txhash, page),
      );
      const earlier = rows.length === 0 && (await refuseEarlier(chain, input.txhash, head));
      return earlier || okPage(page, rows, transfer);
    },
  }),
};

/** Returns the error: without a trace only the gas shows it, since a revert leaves some, and any other error uses all of it. */
function deduceError({
  error,
  gas,
  gasUsed,
}: Pick<TransactionDetail, "error" | "gas" | "gasUsed">): string {
  return error ?? (BigInt(gasUsed) < BigInt(gas) ? "execution reverted" : "out of gas");
}
