import { type Hex, isHash } from "../core/evm/hex.ts";
import { isExactQuantity, isQuantity, quantityToNumber } from "../core/evm/quantity.ts";
import { NodeError } from "./errors/errors.ts";
import { inSeconds } from "./forms/headers.ts";
import type { BlockHeader } from "./types.ts";

type RawIdentity = Record<"number" | "hash" | "parentHash" | "timestamp", Hex> & {
  transactions?: unknown;
};

/** Returns whether a node's block has the fields that identify it. */
export function isHeader(answer: unknown): answer is RawIdentity {
  const { number, hash, parentHash, timestamp } = (answer ?? {}) as Record<string, unknown>;
  return isExactQuantity(number) && isQuantity(timestamp) && [hash, parentHash].every(isHash);
}

/** Returns the needed fields of a header, any other result unchanged: viem parses all fields, and fails on irrelevant ones. */
export function headerFields(result: unknown): unknown {
  if (!isHeader(result)) return result;
  const { number, hash, parentHash, timestamp, transactions } = result;
  const hashes = Array.isArray(transactions) ? transactions.filter(isHash) : [];
  return { number, hash, parentHash, timestamp, transactions: hashes };
}

/** Parses the header of a node's block or `newHeads` notification. Throws `NodeError` when fields are missing. */
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
