import type { Hex } from "../../core/evm/hex.ts";
import { quantity } from "../../core/evm/quantity.ts";
import type { Queryable } from "../../db/client.ts";
import { type BlockEntry, getBlock, getDepositGas } from "../../store/blocks/block-details.ts";
import { listUnclesOfBlock } from "../../store/blocks/uncles.ts";
import {
  listTransactionsAt,
  type TransactionWithReceipt,
} from "../../store/lists/rpc-transactions.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { RpcContext } from "../eth-rpc/rpc.ts";
import { presentReceipt, presentTransaction } from "../eth-rpc/transactions.ts";
import { hash } from "../explorer/modules/proxy/arguments.ts";
import { ethGetBlockByNumber, ofBranch } from "../explorer/modules/proxy/index-methods.ts";
import { inclusionReward, uncleReward } from "../explorer/present/block.ts";
import { blockInHex, method, numberOfBlock, parse, resultOf, wholeNumber } from "./outcomes.ts";

const SELECTOR_CHARACTERS = 10;
const MAXIMUM_SIZE = 1000;

/** `erigon_getHeaderByNumber`. */
export const getHeaderByNumber = method([1, 1], async (context, [block]) => {
  const input = parse(ethGetBlockByNumber.params, { tag: blockInHex(block) });
  const found = resultOf(await ethGetBlockByNumber.handle(context, input));
  return found && headerOf(found);
});

/** `ots_getBlockDetails`. */
export const getBlockDetails = method([1, 1], async (context, [block]) => {
  const number = await numberOfBlock(context, block, 0);
  return findDetails(context, (head) => ({ number: number ?? head.number }));
});

/** `ots_getBlockDetailsByHash`. */
export const getBlockDetailsByHash = method([1, 1], async (context, [block]) => {
  const wanted = parse(hash(0), block);
  return findDetails(context, () => ({ hash: wanted }));
});

/** `ots_getBlockTransactions`: page 0 has the last transactions of the block. */
export const getBlockTransactions = method([3, 3], async (context, [block, page, size]) => {
  const number = await numberOfBlock(context, block, 0);
  const skipped = wholeNumber(page, 1);
  const limit = wholeNumber(size, 2, [1, MAXIMUM_SIZE]);
  const found = await context.read(async (sql, served) => {
    const block = await getBlock(sql, { number: number ?? (await served).number });
    if (!block) return undefined;
    const end = Math.max(block.transactionCount - skipped * limit, 0);
    const start = Math.max(end - limit, 0);
    const places = Array.from({ length: end - start }, (_, index) => ({
      blockNumber: block.number,
      transactionIndex: start + index,
    }));
    return { block, rows: await listTransactionsAt(sql, places) };
  });
  if (!found) return null;
  const { transactions, receipts } = presentPairs(context, found.rows);
  return {
    fullblock: {
      ...(await fetchHeader(context, found.block)),
      transactionCount: found.block.transactionCount,
      transactions: transactions.map((transaction) => ({
        ...transaction,
        input: transaction.input.slice(0, SELECTOR_CHARACTERS),
      })),
    },
    receipts,
  };
});

/** Presents transactions, and their receipts without logs. */
export function presentPairs({ chainId }: RpcContext, rows: readonly TransactionWithReceipt[]) {
  return {
    transactions: rows.map((row) => presentTransaction(row, chainId())),
    receipts: rows.map((row) => ({
      ...presentReceipt({ ...row, logs: [] }),
      logs: null,
      logsBloom: null,
      timestamp: quantity(row.timestampSeconds),
    })),
  };
}

async function findDetails(
  context: RpcContext,
  which: (head: ServedHead) => { number: number } | { hash: Hex },
) {
  const { staticReward } = context;
  const found = await context.read(async (sql, served) => readDetails(sql, which(await served)));
  if (!found) return null;
  const { block, uncles, depositGas } = found;
  const blockReward = staticReward + inclusionReward(uncles.length, staticReward);
  const uncleRewards = uncles.reduce((sum, uncle) => sum + uncleReward(uncle, staticReward), 0n);
  return {
    block: {
      ...(await fetchHeader(context, block)),
      logsBloom: null,
      transactionCount: block.transactionCount,
    },
    issuance: {
      blockReward: quantity(blockReward),
      uncleReward: quantity(uncleRewards),
      issuance: quantity(blockReward + uncleRewards),
    },
    totalFees: quantity(block.fees),
    ...(depositGas !== null && { gasUsedDepositTx: quantity(depositGas) }),
  };
}

async function readDetails(sql: Queryable, which: { number: number } | { hash: Hex }) {
  const block = await getBlock(sql, which);
  if (!block) return undefined;
  const uncles = await listUnclesOfBlock(sql, block.number);
  return { block, uncles, depositGas: await getDepositGas(sql, block.number) };
}

/** Returns the block as the node has it, without transactions. */
async function fetchHeader(context: RpcContext, { hash }: Pick<BlockEntry, "hash">) {
  const block = resultOf(
    await ofBranch(context, { method: "eth_getBlockByHash", params: [hash, false] }),
  );
  return block && headerOf(block);
}

function headerOf({ transactions: _, ...header }: Record<string, unknown>) {
  return header;
}
