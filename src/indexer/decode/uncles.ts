import type { RawHeader } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import type { ChainRows } from "../../store/writer/chain-tables.ts";

/** Adds the uncles of a block. */
export function decodeUncles(rows: ChainRows, blockNumber: number, uncles: readonly RawHeader[]) {
  for (const [position, { hash, number, timestamp, miner }] of uncles.entries()) {
    rows.uncles.push({
      blockNumber,
      position,
      hash,
      number: quantityToNumber(number),
      timestamp: quantityToNumber(timestamp),
      miner,
    });
  }
}
