import type { Uncle } from "../../store/uncles.ts";

/** Blocks that an uncle may be older than its nephew, and one more (Yellow Paper, 11.1 and 11.3). */
const DEPTH = 8n;
/** The part of a block's static reward that a nephew gets for each uncle. */
const INCLUSION_DIVISOR = 32n;

/** What the producer of an uncle got, in wei: the static reward less an eighth for each block it is older. */
export function uncleReward(
  { blockNumber, number }: Pick<Uncle, "blockNumber" | "number">,
  staticReward: bigint,
): bigint {
  return (staticReward * (DEPTH - BigInt(blockNumber - number))) / DEPTH;
}

/** What a block gets for the uncles that it includes, in wei. */
export function inclusionReward(uncleCount: number, staticReward: bigint): bigint {
  return (staticReward * BigInt(uncleCount)) / INCLUSION_DIVISOR;
}
