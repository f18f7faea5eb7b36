import { isExactQuantity, quantityToNumber } from "../../core/evm/quantity.ts";
import { framesOf } from "../traces/frames.ts";
import type { FetchedBlock } from "../types.ts";

type Blocks = readonly (FetchedBlock | null)[];

/** Most gas of one fetch's blocks: some 4,000 transactions and their traces. */
export const ENOUGH_GAS = 400_000_000;
const BLOCKS_AT_ONCE = 50;
/** Blocks of a fetch before any block is known. */
const FIRST_BLOCKS_AT_ONCE = 2;

/** Most frames of one fetch, some 50 MB, plus those of one block. */
export const ENOUGH_FRAMES = 100_000;
/** Most frames of a block: a call costs 100 gas (EIP-2929) and the pushes of its arguments. */
const MOST_FRAMES_PER_GAS = 1 / 120;

/** Estimates the size of a chain's blocks and traces, and limits fetches by it. The estimate of heavier past blocks halves. */
export class FetchLoad {
  #gasPerBlock: number | undefined;
  #framesPerGas = MOST_FRAMES_PER_GAS;

  /** Number of blocks to ask for at once. */
  get fittingBlocks(): number {
    if (this.#gasPerBlock === undefined) return FIRST_BLOCKS_AT_ONCE;
    return Math.max(1, Math.min(BLOCKS_AT_ONCE, Math.floor(ENOUGH_GAS / this.#gasPerBlock)));
  }

  /** Returns the first blocks, at least one, whose traces probably fit. */
  fittingTraces(blocks: Blocks): Blocks {
    let gas = 0;
    const end = blocks.findIndex((one, index) => {
      gas += gasOf(one);
      return index > 0 && gas * this.#framesPerGas > ENOUGH_FRAMES;
    });
    return blocks.slice(0, end < 0 ? undefined : end);
  }

  /** Measures fetched blocks. */
  noteBlocks(blocks: Blocks): void {
    const count = blocks.filter((one) => one !== null).length;
    if (count === 0) return;
    this.#gasPerBlock = Math.max(gasOfAll(blocks) / count, (this.#gasPerBlock ?? 0) / 2);
  }

  /** Measures traced blocks; returns the number of their frames. */
  noteTraces(blocks: Blocks): number {
    let frames = 0;
    for (const one of blocks) {
      for (const { frame } of one?.traces ?? []) frames += framesOf(frame).length;
    }
    const gas = gasOfAll(blocks);
    if (gas > 0) this.#framesPerGas = Math.max(frames / gas, this.#framesPerGas / 2);
    return frames;
  }
}

function gasOfAll(blocks: Blocks): number {
  return blocks.reduce((gas, one) => gas + gasOf(one), 0);
}

/** Returns the gas that a block's transactions used. Not validated yet: 0 where the node has no number. */
export function gasOf(one: FetchedBlock | null): number {
  const gasUsed = one?.block.gasUsed;
  return isExactQuantity(gasUsed) ? quantityToNumber(gasUsed) : 0;
}
