import type { Address, Hex } from "viem";
import type { NodeFrame } from "./chain.ts";

/** One entry of a transaction's trace. Names of kinds are those of Blockscout's answers. */
export interface InternalTransaction {
  blockNumber: number;
  transactionIndex: number;
  /** Depth-first; 0 is the top level. */
  position: number;
  traceAddress: number[];
  type: string;
  callType: string | null;
  from: Address;
  /** Null for creations. */
  to: Address | null;
  /** The contract of a creation, if it lasted. */
  created: Address | null;
  value: bigint;
  gas: bigint | null;
  gasUsed: bigint | null;
  input: Hex;
  output: Hex | null;
  error: string | null;
  /** Its effects last: neither it, nor an enclosing frame, nor the transaction failed. */
  effective: boolean;
}

const CALLS = ["call", "callcode", "delegatecall", "staticcall"];

/** Every frame of a trace, top level included, in depth-first order; `failed` is about the transaction. */
export function flatten(
  top: NodeFrame,
  blockNumber: number,
  transactionIndex: number,
  failed: boolean,
): InternalTransaction[] {
  const entries: InternalTransaction[] = [];

  function visit(frame: NodeFrame, traceAddress: number[], doomed: boolean): void {
    const kind = frame.type.toLowerCase();
    const isCall = CALLS.includes(kind);
    const isCreation = kind.startsWith("create");
    const effective = !doomed && frame.error === undefined;
    entries.push({
      blockNumber,
      transactionIndex,
      position: entries.length,
      traceAddress,
      type: isCall ? "call" : kind,
      callType: isCall ? kind : null,
      from: frame.from,
      to: isCreation ? null : (frame.to ?? null),
      created: isCreation && effective ? (frame.to ?? null) : null,
      // A delegate call only sees its caller's value.
      value: kind === "delegatecall" ? 0n : BigInt(frame.value ?? 0),
      gas: frame.gas === undefined ? null : BigInt(frame.gas),
      gasUsed: frame.gasUsed === undefined ? null : BigInt(frame.gasUsed),
      input: frame.input,
      output: frame.output ?? null,
      error: frame.error ?? null,
      effective,
    });
    for (const [index, child] of (frame.calls ?? []).entries()) {
      visit(child, [...traceAddress, index], !effective);
    }
  }

  visit(top, [], failed);
  return entries;
}
