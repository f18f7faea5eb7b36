import type { Uncle } from "../../../store/blocks/uncles.ts";

/** One more than the blocks by which an uncle may be older than its nephew (Yellow Paper, 11.1 and 11.3). */
const DEPTH = 8n;
/** The divisor of a block's static reward for a nephew's reward per uncle. */
const INCLUSION_DIVISOR = 32n;

/** Returns the reward of an uncle's producer in wei: the static reward less an eighth for each block it is older. */
export function uncleReward(
  { blockNumber, number }: Pick<Uncle, "blockNumber" | "number">,
  staticReward: bigint,
): bigint {
  return (staticReward * (DEPTH - BigInt(blockNumber - number))) / DEPTH;
}

/** Returns the reward of a block for including uncles, in wei. */
export function inclusionReward(uncleCount: number, staticReward: bigint): bigint {
  return (staticReward * BigInt(uncleCount)) / INCLUSION_DIVISOR;
}
