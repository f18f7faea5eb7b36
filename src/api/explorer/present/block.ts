import { int64ToDecimal } from "../../../core/evm/quantity.ts";
import type { BlockEntry } from "../../../store/blocks/blocks.ts";
import type { Uncle } from "../../../store/blocks/uncles.ts";
import type { Withdrawal } from "../../../store/blocks/withdrawals.ts";
import * as wire from "../wire.ts";

/** A block in a list. Amounts in wei. */
export const block = wire.defineRecord<BlockEntry>(
  ({ number }) => [number],
  "Block",
)({
  blockNumber: [wire.decimal, (row) => String(row.number)],
  blockHash: [wire.hash, (row) => row.hash],
  parentHash: [wire.hash, (row) => row.parentHash],
  timeStamp: [wire.decimal, (row) => String(row.timestampSeconds)],
  confirmations: [wire.decimal, (row) => String(row.confirmations)],
  miner: [wire.address, (row) => row.miner],
  difficulty: [wire.decimal, (row) => row.difficulty],
  size: [wire.decimal, (row) => String(row.size)],
  gasLimit: [wire.decimal, (row) => row.gasLimit],
  gasUsed: [wire.decimal, (row) => row.gasUsed],
  baseFeePerGas: [wire.decimalOrEmpty, (row) => row.baseFeePerGas ?? ""],
  txsCount: [wire.decimal, (row) => String(row.transactionCount)],
  fees: [wire.decimal, (row) => row.fees],
  burntFees: [wire.decimal, ({ fees, reward }) => String(BigInt(fees) - BigInt(reward))],
});

export const withdrawal = wire.defineRecord<Withdrawal>()({
  withdrawalIndex: [wire.decimal, (row) => int64ToDecimal(row.withdrawalIndex)],
  validatorIndex: [wire.decimal, (row) => int64ToDecimal(row.validatorIndex)],
  address: [wire.address, (row) => row.address],
  amount: [wire.decimal.describe("In Gwei"), (row) => row.amountGwei],
});

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
