import { z } from "zod";
import { int64ToDecimal } from "../../../core/evm/quantity.ts";
import type { BlockEntry } from "../../../store/blocks/block-details.ts";
import type { Uncle } from "../../../store/blocks/uncles.ts";
import type { Withdrawal } from "../../../store/blocks/withdrawals.ts";
import * as wire from "../wire.ts";

/** A block in a list. */
export const blockRecord = z
  .object({
    blockNumber: wire.decimal,
    blockHash: wire.hash,
    parentHash: wire.hash,
    timeStamp: wire.decimal,
    confirmations: wire.decimal,
    miner: wire.address,
    difficulty: wire.decimal,
    size: wire.decimal,
    gasLimit: wire.decimal,
    gasUsed: wire.decimal,
    baseFeePerGas: wire.decimalOrEmpty,
    txsCount: wire.decimal,
    fees: wire.decimal,
    burntFees: wire.decimal,
  })
  .meta({ id: "Block" });

/** Presents a block. Amounts in wei. */
export function presentBlock(block: BlockEntry): z.output<typeof blockRecord> {
  return {
    blockNumber: String(block.number),
    blockHash: block.hash,
    parentHash: block.parentHash,
    timeStamp: String(block.timestampSeconds),
    confirmations: String(block.confirmations),
    miner: block.miner,
    difficulty: block.difficulty,
    size: String(block.size),
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    baseFeePerGas: block.baseFeePerGas ?? "",
    txsCount: String(block.transactionCount),
    fees: block.fees,
    burntFees: String(BigInt(block.fees) - BigInt(block.reward)),
  };
}

export const withdrawalRecord = z.object({
  withdrawalIndex: wire.decimal,
  validatorIndex: wire.decimal,
  address: wire.address,
  amount: wire.decimal.describe("In Gwei"),
});

/** Presents a withdrawal. */
export function presentWithdrawal(withdrawal: Withdrawal): z.output<typeof withdrawalRecord> {
  return {
    withdrawalIndex: int64ToDecimal(withdrawal.withdrawalIndex),
    validatorIndex: int64ToDecimal(withdrawal.validatorIndex),
    address: withdrawal.address,
    amount: withdrawal.amountGwei,
  };
}

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
