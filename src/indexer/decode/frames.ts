import type { CallFrame, RawReceipt, TransactionTrace } from "../../chain/types.ts";
import { quantityToNumber } from "../../core/quantity.ts";

export const CALL_TYPES: ReadonlySet<string> = new Set([
  "call",
  "callcode",
  "delegatecall",
  "staticcall",
]);
export const CREATE_TYPES: ReadonlySet<string> = new Set(["create", "create2"]);

/** A frame of a trace with what only its place in the tree tells. */
export interface PlacedFrame {
  frame: CallFrame;
  transactionIndex: number;
  /** Depth-first, 0 is the top-level frame. */
  position: number;
  traceAddress: readonly number[];
  /** What it did lasts: neither the frame, nor one around it, nor the transaction failed. */
  effective: boolean;
}

/**
 * Whether a transaction failed: as its receipt says, or its trace (before Byzantium, EIP-658, receipts cannot). Without
 * either it counts as succeeded.
 */
export function hasFailed({ status }: RawReceipt, trace: TransactionTrace | undefined): boolean {
  const isRefused = status ? quantityToNumber(status) === 0 : false;
  return isRefused || (trace?.frame.error ?? null) !== null;
}

/** A tracer's error text as PostgreSQL takes it: some tracers quote the contract, which may have chosen a NUL. */
export function errorText(error: string): string {
  return error.replaceAll("\0", "");
}

/**
 * The frames of a transaction's trace in depth-first order; `failed` tells of the transaction as a whole. Iterative: a
 * trace may be a thousand frames deep.
 */
export function placeFrames(
  top: CallFrame,
  transactionIndex: number,
  failed: boolean,
): PlacedFrame[] {
  const placed: PlacedFrame[] = [];
  const stack: { frame: CallFrame; traceAddress: readonly number[]; effective: boolean }[] = [
    { frame: top, traceAddress: [], effective: !failed },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { frame, traceAddress } = next;
    const effective = next.effective && frame.error === null;
    placed.push({ frame, transactionIndex, position: placed.length, traceAddress, effective });
    for (let index = frame.calls.length - 1; index >= 0; index--) {
      const child = frame.calls[index] as CallFrame;
      stack.push({ frame: child, traceAddress: [...traceAddress, index], effective });
    }
  }
  return placed;
}
