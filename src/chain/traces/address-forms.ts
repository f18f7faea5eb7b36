import type { Hex } from "../../core/evm/hex.ts";
import { isRecord } from "../../core/json/record.ts";
import type { FetchedBlock } from "../types.ts";

// The addresses that others are compared with have one form: lower case, and null where there is none. Nodes may write
// checksums, and leave the receiver of a creation out (execution-apis specification); some leave it empty. Nothing is
// checked yet: a field may be anything.

/** Brings the addresses of transactions and receipts into one form; those of frames have it (frames.ts). */
export function unifyAddresses({ block, receipts }: FetchedBlock): void {
  for (const transaction of block.transactions) {
    transaction.from = lowerOf(transaction.from);
    transaction.to = addressOrNull(transaction.to);
  }
  for (const receipt of receipts) {
    if (isRecord(receipt)) receipt.contractAddress = addressOrNull(receipt.contractAddress);
  }
}

/** The address in lower case; what is no text as it is. */
export function lowerOf(address: Hex): Hex {
  return typeof address === "string" ? (address.toLowerCase() as Hex) : address;
}

/** The address in lower case; null where there is none. */
export function addressOrNull(address: Hex | "" | null | undefined): Hex | null {
  return address && address !== "0x" ? lowerOf(address) : null;
}
