import type { RawReceipt } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/quantity.ts";
import type { ChainRows } from "../../store/chain-tables.ts";

/** Adds the logs of a block's receipts to the rows. */
export function decodeLogs(
  rows: ChainRows,
  blockNumber: number,
  receipts: readonly RawReceipt[],
): void {
  for (const [transactionIndex, receipt] of receipts.entries()) {
    for (const log of receipt.logs) {
      rows.logs.push({
        blockNumber,
        logIndex: quantityToNumber(log.logIndex),
        transactionIndex,
        address: log.address,
        topic0: log.topics[0] ?? null,
        topic1: log.topics[1] ?? null,
        topic2: log.topics[2] ?? null,
        topic3: log.topics[3] ?? null,
        data: log.data,
      });
    }
  }
}
