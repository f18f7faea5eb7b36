import type { Hex } from "../../core/evm/hex.ts";
import type { Sift } from "../rpc/large-answer.ts";
import type { CallFrame } from "../types.ts";
import { framesOf, isCallTracerFrame, isFlatFrame } from "./frames.ts";

/** Stands for a dropped input. */
const NOT_KEPT = "";

/** In bytes; inputs up to this length are always kept. */
const SHORT = 256;
/** Input bytes of a transaction beyond its gas: some system transactions use none. */
const GAS_FREE = 4096;

/**
 * Bounds the inputs of a transaction's internal calls. Gas pays for an input in memory once, however
 * often it is passed on: 128 KB a thousand times cost 264,000 gas. If the inputs have more bytes
 * than the transaction used gas, those above 256 bytes are dropped. Init code pays each time
 * (EIP-3860, CREATE).
 */
class CallInputs {
  readonly #most: number;
  #bytes = 0;

  /** `gasUsed` is that of the transaction's receipt. */
  constructor(gasUsed: Hex) {
    this.#most = Number(gasUsed) + GAS_FREE;
  }

  /** Counts one input. An input that was dropped earlier exceeds the bound. */
  add(input: Hex | typeof NOT_KEPT): void {
    this.#bytes += input === NOT_KEPT ? Number.POSITIVE_INFINITY : countBytes(input);
  }

  /** Returns whether this input is kept, by the inputs counted so far; false is final. */
  keeps(input: Hex | typeof NOT_KEPT): boolean {
    return input !== NOT_KEPT && (this.#bytes <= this.#most || countBytes(input) <= SHORT);
  }
}

function countBytes(input: Hex): number {
  return (input.length - 2) / 2;
}

/** Drops the inputs beyond the bound from a transaction's frames, and the unused return data. */
export function boundInputs(outermost: CallFrame, gasUsed: Hex = "0x0"): void {
  const inputs = new CallInputs(gasUsed);
  const calls = framesOf(outermost).filter((one) => one !== outermost && !isCreation(one.type));
  for (const call of calls) {
    call.output = null;
    inputs.add(call.input);
  }
  for (const call of calls) if (!inputs.keeps(call.input)) call.input = NOT_KEPT;
}

function isCreation(type: string): boolean {
  return /^create/i.test(type);
}

/** Sifts `callTracer` answers, frames nested below `outermost` levels: drops outputs, and inputs that are not kept. */
export function siftTrees(gasUsed: readonly Hex[], outermost: number): Sift {
  let transactions = 0;
  let inputs = new CallInputs(gasUsed[0] ?? "0x0");
  return ({ value, key, depth }) => {
    if (depth === outermost - 1 && typeof key === "number") {
      transactions++;
      inputs = new CallInputs(gasUsed[transactions] ?? "0x0");
    } else if (depth > outermost && isCallTracerFrame(value) && !isCreation(value.type)) {
      siftCall(value, inputs);
      delete value.output;
      delete value.revertReason;
    }
  };
}

/** Returns the same for `trace_block`: one list of frames. */
export function siftFlat(gasUsed: readonly Hex[]): Sift {
  const inputs = gasUsed.map((gas) => new CallInputs(gas));
  return ({ value, key, depth }) => {
    if (depth !== 2 || typeof key !== "number" || !isFlatFrame(value)) return;
    const own = inputs[value.transactionPosition ?? -1];
    if (!own || value.traceAddress.length === 0) return;
    siftCall(value.action, own);
    delete value.result?.output;
  };
}

function siftCall(call: { input?: CallFrame["input"] }, inputs: CallInputs): void {
  const input = call.input ?? "0x";
  inputs.add(input);
  if (!inputs.keeps(input)) call.input = NOT_KEPT;
}
