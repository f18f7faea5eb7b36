import type { Hex } from "../../core/evm/hex.ts";
import { isRecord } from "../../core/json/record.ts";
import type { FetchedBlock } from "../types.ts";

// Converts addresses to one form, so that they can be compared: lower case, null for none. Nodes may
// send checksums, and omit the receiver of a creation (execution-apis specification) or leave it
// empty. The block is not validated yet: a field may be anything.

/** Normalises the addresses of transactions and receipts; frames.ts does those of frames. */
export function unifyAddresses({ block, receipts }: FetchedBlock): void {
  for (const transaction of block.transactions) {
    transaction.from = lowerOf(transaction.from);
    transaction.to = addressOrNull(transaction.to);
  }
  for (const receipt of receipts) {
    if (isRecord(receipt)) receipt.contractAddress = addressOrNull(receipt.contractAddress);
  }
}

/** Returns the address in lower case; a value that is not text unchanged. */
export function lowerOf(address: Hex): Hex {
  return typeof address === "string" ? (address.toLowerCase() as Hex) : address;
}

/** Returns the address in lower case; null where there is none. */
export function addressOrNull(address: Hex | "" | null | undefined): Hex | null {
  return address && address !== "0x" ? lowerOf(address) : null;
}
