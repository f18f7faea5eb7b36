import { isExactQuantity, quantityToNumber } from "../../core/evm/quantity.ts";
import { framesOf } from "../traces/frames.ts";
import type { FetchedBlock } from "../types.ts";

type Blocks = readonly (FetchedBlock | null)[];

/** One fetch gives no more blocks than used this much gas together: some 4,000 transactions and their traces. */
export const ENOUGH_GAS = 400_000_000;
const BLOCKS_AT_ONCE = 50;
/** Before any block is known. */
const FIRST_BLOCKS_AT_ONCE = 2;

/** One fetch holds no more frames than about so many, some 50 MB, and those of one block more. */
export const ENOUGH_FRAMES = 100_000;
/** The most that a block can have: a call costs 100 gas (EIP-2929), and what puts its arguments on the stack. */
const MOST_FRAMES_PER_GAS = 1 / 120;

/** Learns how heavy blocks and traces are, to bound what is asked for at once. The past fades by halves. */
export class FetchLoad {
  #gasPerBlock: number | undefined;
  #framesPerGas = MOST_FRAMES_PER_GAS;

  /** The number of blocks to ask for at once. */
  get fittingBlocks(): number {
    if (this.#gasPerBlock === undefined) return FIRST_BLOCKS_AT_ONCE;
    return Math.max(1, Math.min(BLOCKS_AT_ONCE, Math.floor(ENOUGH_GAS / this.#gasPerBlock)));
  }

  /** The first of the blocks, at least one, as far as their traces probably fit. */
  fittingTraces(blocks: Blocks): Blocks {
    let gas = 0;
    const end = blocks.findIndex((one, index) => {
      gas += gasOf(one);
      return index > 0 && gas * this.#framesPerGas > ENOUGH_FRAMES;
    });
    return blocks.slice(0, end < 0 ? undefined : end);
  }

  /** Learns from fetched blocks. */
  noteBlocks(blocks: Blocks): void {
    const count = blocks.filter((one) => one !== null).length;
    if (count === 0) return;
    this.#gasPerBlock = Math.max(gasOfAll(blocks) / count, (this.#gasPerBlock ?? 0) / 2);
  }

  /** Learns from traced blocks. Gives the number of their frames. */
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

/** The gas that the transactions of a block used. Nothing is checked yet: 0 where the node tells no number. */
export function gasOf(one: FetchedBlock | null): number {
  const gasUsed = one?.block.gasUsed;
  return isExactQuantity(gasUsed) ? quantityToNumber(gasUsed) : 0;
}
