import { gasOf } from "./block-load.ts";
import type { CallFrame, FetchedBlock } from "./types.ts";

/** One fetch holds no more frames than about so many, some 50 MB, and those of one block more. */
export const ENOUGH_FRAMES = 100_000;
/** The most that a block can have: a call costs 100 gas (EIP-2929), and what puts its arguments on the stack. */
const MOST_FRAMES_PER_GAS = 1 / 120;

/** Learns how many frames the traces of a chain have, so that not more are asked for at once than can be held. */
export class TraceLoad {
  #framesPerGas = MOST_FRAMES_PER_GAS;

  /** The first of the blocks, at least one, as far as their traces probably fit. */
  fitting(blocks: readonly (FetchedBlock | null)[]): (FetchedBlock | null)[] {
    let gas = 0;
    const end = blocks.findIndex((one, index) => {
      gas += gasOf(one);
      return index > 0 && gas * this.#framesPerGas > ENOUGH_FRAMES;
    });
    return blocks.slice(0, end < 0 ? undefined : end);
  }

  /** Learns from traced blocks; a past with more frames is forgotten by halves. Gives the number of their frames. */
  note(blocks: readonly (FetchedBlock | null)[]): number {
    let [gas, frames] = [0, 0];
    for (const one of blocks) {
      gas += gasOf(one);
      for (const { frame } of one?.traces ?? []) frames += countFrames(frame);
    }
    if (gas > 0) this.#framesPerGas = Math.max(frames / gas, this.#framesPerGas / 2);
    return frames;
  }
}

function countFrames(outermost: CallFrame): number {
  let count = 0;
  const around = [outermost];
  for (let frame = around.pop(); frame; frame = around.pop()) {
    count++;
    for (const inner of frame.calls) around.push(inner);
  }
  return count;
}
