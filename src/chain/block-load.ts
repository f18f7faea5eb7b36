import { isExactQuantity, quantityToNumber } from "../core/quantity.ts";
import type { FetchedBlock } from "./types.ts";

/** One fetch gives no more blocks than used this much gas together: some 4,000 transactions and their traces. */
export const ENOUGH_GAS = 400_000_000;
const BLOCKS_AT_ONCE = 50;
/** Before any block is known. */
const FIRST_BLOCKS_AT_ONCE = 2;

/** Learns how heavy the blocks of a chain are, so that not more are asked for at once than can be held. */
export class BlockLoad {
  #gasPerBlock: number | undefined;

  /** The number of blocks to ask for at once. */
  get fitting(): number {
    if (this.#gasPerBlock === undefined) return FIRST_BLOCKS_AT_ONCE;
    return Math.max(1, Math.min(BLOCKS_AT_ONCE, Math.floor(ENOUGH_GAS / this.#gasPerBlock)));
  }

  /** Learns from fetched blocks; a past with heavier ones is forgotten by halves. */
  note(blocks: readonly (FetchedBlock | null)[]): void {
    let [gas, count] = [0, 0];
    for (const one of blocks) {
      if (!one) continue;
      gas += gasOf(one);
      count++;
    }
    if (count > 0) this.#gasPerBlock = Math.max(gas / count, (this.#gasPerBlock ?? 0) / 2);
  }
}

/** The gas that the transactions of a block used. Nothing is checked yet: 0 where the node tells no number. */
export function gasOf(one: FetchedBlock | null): number {
  const gasUsed = one?.block.gasUsed;
  return isExactQuantity(gasUsed) ? quantityToNumber(gasUsed) : 0;
}
