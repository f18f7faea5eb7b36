import type { CallFrame } from "../../chain/types.ts";

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
  /** Neither the frame nor one around it failed. */
  effective: boolean;
}

/** A tracer's error text as PostgreSQL takes it: some tracers quote the contract, which may have chosen a NUL. */
export function errorText(error: string): string {
  return error.replaceAll("\0", "");
}

/** The frames of a trace in depth-first order. Iterative: a trace may be a thousand frames deep. */
export function placeFrames(top: CallFrame, transactionIndex: number): PlacedFrame[] {
  const placed: PlacedFrame[] = [];
  const stack: { frame: CallFrame; traceAddress: readonly number[]; effective: boolean }[] = [
    { frame: top, traceAddress: [], effective: true },
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
