import type { FetchedBlock } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import { type ChainRows, emptyRows } from "../../store/writer/chain-tables.ts";
import { decodeTopLevelCreations } from "./contracts.ts";
import { decodeDelegations, listAuthorizations } from "./delegations.ts";
import { decodeInternalTransactions } from "./internal-transactions.ts";
import { decodeLogs } from "./logs.ts";
import { decodeTokenTransfers } from "./token-transfers.ts";
import { decodeTransactions } from "./transactions.ts";
import { decodeUncles } from "./uncles.ts";

/** Most signers recovered with a block; the rest are recovered later. */
const RECOVERED_MAXIMUM = 64;

/** Returns the rows of validated blocks (`validateBlock`), in block order, and of numbers that the chain left out. */
export function decodeBlocks(
  blocks: readonly FetchedBlock[],
  leftOut: readonly number[] = [],
): ChainRows {
  const rows = emptyRows();
  rows.leftOutBlocks = leftOut.map((blockNumber) => ({ blockNumber }));
  for (const fetched of blocks) {
    const own = fetched.indexes ? emptyRows() : rows;
    decodeBlock(own, fetched);
    if (fetched.indexes) addWithIndexes(rows, own, fetched.indexes);
  }
  return rows;
}

/** As `decodeBlocks`, with the delegations of the first authorizations, at most `limit`. */
export async function decodeWhole(
  blocks: readonly FetchedBlock[],
  chainId: number,
  leftOut: readonly number[] = [],
  limit = RECOVERED_MAXIMUM,
): Promise<ChainRows> {
  const rows = decodeBlocks(blocks, leftOut);
  const authorizations = listAuthorizations(rows.transactions).slice(0, limit);
  const delegations = await decodeDelegations(authorizations, chainId);
  return { ...rows, delegations };
}

/** Adds the rows of a block whose transactions have other indexes than their positions. */
function addWithIndexes(rows: ChainRows, own: ChainRows, indexes: readonly number[]): void {
  for (const [name, ofTable] of Object.entries(own) as [keyof ChainRows, object[]][]) {
    const placed = ofTable.map((row) =>
      "transactionIndex" in row
        ? { ...row, transactionIndex: indexes[Number(row.transactionIndex)] }
        : row,
    );
    rows[name].push(...(placed as never[]));
  }
}

function decodeBlock(rows: ChainRows, { block, receipts, traces, uncles = [] }: FetchedBlock) {
  const blockNumber = quantityToNumber(block.number);
  decodeTransactions(rows, block, receipts, traces);
  decodeUncles(rows, block, uncles);
  decodeLogs(rows, blockNumber, receipts);
  decodeTokenTransfers(rows, blockNumber, receipts);
  if (traces) decodeInternalTransactions(rows, block, receipts, traces);
  else decodeTopLevelCreations(rows, blockNumber);
}
