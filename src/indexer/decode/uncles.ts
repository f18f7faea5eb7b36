import type { RawBlock, RawHeader } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import type { ChainRows } from "../../store/writer/chain-tables.ts";

/** Adds the uncles of a block whose headers the node has. */
export function decodeUncles(rows: ChainRows, block: RawBlock, uncles: readonly RawHeader[]) {
  for (const { hash, number, timestamp, miner } of uncles) {
    rows.uncles.push({
      blockNumber: quantityToNumber(block.number),
      position: (block.uncles ?? []).indexOf(hash),
      hash,
      number: quantityToNumber(number),
      timestamp: quantityToNumber(timestamp),
      miner,
    });
  }
}
