import type { CallFrame, RawReceipt, TransactionTrace } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";

export const CALL_TYPES: ReadonlySet<string> = new Set([
  "call",
  "callcode",
  "delegatecall",
  "staticcall",
]);
export const CREATE_TYPES: ReadonlySet<string> = new Set(["create", "create2"]);

/** A frame of a trace, with its position in the tree. */
export interface PlacedFrame {
  frame: CallFrame;
  transactionIndex: number;
  /** Depth-first, 0 is the top-level frame. */
  position: number;
  traceAddress: readonly number[];
  /** Its effects last: neither the frame, nor an enclosing one, nor the transaction failed. */
  effective: boolean;
  /** The tracer reported it as failed, so its return data are unknown. */
  isMisjudged: boolean;
}

/** Returns a receipt's status; null where there is none (before Byzantium, EIP-658). */
export function statusOf({ status }: RawReceipt): number | null {
  return isNothing(status) || status.length === 0 ? null : quantityToNumber(status);
}

/** Returns whether a transaction failed: by its receipt, before Byzantium (EIP-658) by its trace, else false. */
export function hasFailed(receipt: RawReceipt, trace: TransactionTrace | undefined): boolean {
  const status = statusOf(receipt);
  if (status !== null) return status === 0;
  return (trace?.frame.error ?? null) !== null;
}

/** Longest kept text, in UTF-16 units. Known tracers' texts are shorter. */
const LONGEST_TEXT = 1_000;

/** Returns a tracer's text, truncated and without NUL, which PostgreSQL refuses: it may quote a contract. */
export function tracerText(words: string): string {
  return words.slice(0, LONGEST_TEXT).toWellFormed().replaceAll("\0", "");
}

/** Returns the frames depth-first, the top one by the receipt. Iterative: a trace may be a thousand frames deep. */
export function placeFrames(
  trace: TransactionTrace,
  transactionIndex: number,
  receipt: RawReceipt,
): PlacedFrame[] {
  const placed: PlacedFrame[] = [];
  const failed = hasFailed(receipt, trace);
  const isMisjudged = !failed && trace.frame.error !== null;
  const top = isMisjudged
    ? { ...trace.frame, error: null, output: null, to: trace.frame.to ?? receipt.contractAddress }
    : trace.frame;
  const stack: { frame: CallFrame; traceAddress: readonly number[]; effective: boolean }[] = [
    { frame: top, traceAddress: [], effective: !failed },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { frame, traceAddress } = next;
    const effective = next.effective && frame.error === null;
    const position = placed.length;
    placed.push({
      frame,
      transactionIndex,
      position,
      traceAddress,
      effective,
      isMisjudged: isMisjudged && position === 0,
    });
    for (let index = frame.calls.length - 1; index >= 0; index--) {
      const child = frame.calls[index] as CallFrame;
      stack.push({ frame: child, traceAddress: [...traceAddress, index], effective });
    }
  }
  return placed;
}
