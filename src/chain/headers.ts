import { type Hex, isHash } from "../core/evm/hex.ts";
import { isExactQuantity, isQuantity, quantityToNumber } from "../core/evm/quantity.ts";
import { NodeError } from "./errors/errors.ts";
import { inSeconds } from "./forms/headers.ts";
import type { BlockHeader } from "./types.ts";

type RawIdentity = Record<"number" | "hash" | "parentHash" | "timestamp", Hex>;

/** Whether a block as the node sends it has what identifies it. */
export function isHeader(answer: unknown): answer is RawIdentity {
  const { number, hash, parentHash, timestamp } = (answer ?? {}) as Record<string, unknown>;
  return isExactQuantity(number) && isQuantity(timestamp) && [hash, parentHash].every(isHash);
}

/** What is needed of a header as the node sends it. viem reads whatever it is given, and fails by a field that nobody needs. */
export function headerFields(header: RawIdentity & { transactions?: unknown }) {
  const { number, hash, parentHash, timestamp, transactions } = header;
  const hashes = Array.isArray(transactions) ? transactions.filter(isHash) : [];
  return { number, hash, parentHash, timestamp, transactions: hashes };
}

/** The header in a block as the node sends it, or in a `newHeads` notification. Throws `NodeError` when it is not whole. */
export function headerOf(answer: unknown): BlockHeader {
  if (!isHeader(answer)) {
    throw new NodeError("bad-answer", "a block has no number, time, hash or parent");
  }
  const { number, hash, parentHash, timestamp } = answer;
  return {
    number: quantityToNumber(number),
    hash,
    parentHash,
    timestampSeconds: quantityToNumber(inSeconds(timestamp)),
  };
}
