import type { FetchedBlock } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import { type ChainRows, emptyRows } from "../../store/writer/chain-tables.ts";
import { decodeTopLevelCreations } from "./contracts.ts";
import { decodeInternalTransactions } from "./internal-transactions.ts";
import { decodeLogs } from "./logs.ts";
import { decodeTokenTransfers } from "./token-transfers.ts";
import { decodeTransactions } from "./transactions.ts";
import { decodeUncles } from "./uncles.ts";

/** Returns the rows of validated blocks (`validateBlock`), in block order. */
export function decodeBlocks(blocks: readonly FetchedBlock[]): ChainRows {
  const rows = emptyRows();
  for (const { block, receipts, traces, uncles = [] } of blocks) {
    const blockNumber = quantityToNumber(block.number);
    decodeTransactions(rows, block, receipts, traces);
    decodeUncles(rows, blockNumber, uncles);
    decodeLogs(rows, blockNumber, receipts);
    decodeTokenTransfers(rows, blockNumber, receipts);
    if (traces) decodeInternalTransactions(rows, block, receipts, traces);
    else decodeTopLevelCreations(rows, blockNumber);
  }
  return rows;
}
