import { z } from "zod";
import type { BlockEntry } from "../../../store/blocks/block-details.ts";
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
