import type { Hex } from "../core/hex.ts";
import { isRecord } from "../core/record.ts";
import type { CallFrame, FetchedBlock } from "./types.ts";

/**
 * Brings the addresses of a block that others are compared with into one form: lower case, and null where there is none.
 * Nodes may write checksums, and leave the receiver of a creation out (execution-apis specification); some leave it empty.
 * Nothing is checked yet: a field may be anything.
 */
export function unifyAddresses({ block, receipts, traces }: FetchedBlock): void {
  for (const transaction of block.transactions) {
    transaction.from = lower(transaction.from);
    transaction.to = addressOrNull(transaction.to);
  }
  for (const receipt of receipts) {
    if (isRecord(receipt)) receipt.contractAddress = addressOrNull(receipt.contractAddress);
  }
  const frames: CallFrame[] = (traces ?? []).map(({ frame }) => frame);
  for (let frame = frames.pop(); frame; frame = frames.pop()) {
    frame.from = lower(frame.from);
    frame.to = addressOrNull(frame.to);
    for (const call of frame.calls) frames.push(call);
  }
}

function lower(address: Hex): Hex {
  return typeof address === "string" ? (address.toLowerCase() as Hex) : address;
}

function addressOrNull(address: Hex | "" | null | undefined): Hex | null {
  return address && address !== "0x" ? lower(address) : null;
}
