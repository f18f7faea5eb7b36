import type { RawBlock, RawReceipt, TransactionTrace } from "../../chain/types.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { quantityToNumber } from "../../core/evm/quantity.ts";
import { type ChainRows, SIDE } from "../../store/writer/chain-tables.ts";
import { decodeContractChange } from "./contracts.ts";
import { CALL_TYPES, CREATE_TYPES, type PlacedFrame, placeFrames, tracerText } from "./frames.ts";
import { addSide } from "./transactions.ts";

/** Adds frames, activity, creations and destructions to the rows, without the top-level call, which is the transaction. */
export function decodeInternalTransactions(
  rows: ChainRows,
  block: RawBlock,
  receipts: readonly RawReceipt[],
  traces: readonly TransactionTrace[],
): void {
  const blockNumber = quantityToNumber(block.number);
  for (const [transactionIndex, trace] of traces.entries()) {
    const receipt = receipts[transactionIndex] as RawReceipt;
    for (const placed of placeFrames(trace, transactionIndex, receipt)) {
      decodeContractChange(rows, block, placed);
      if (placed.position === 0 && CALL_TYPES.has(placed.frame.type)) continue;
      decodeFrame(rows, blockNumber, receipt, placed);
    }
  }
}

function decodeFrame(
  rows: ChainRows,
  blockNumber: number,
  receipt: RawReceipt,
  placed: PlacedFrame,
): void {
  const { frame, transactionIndex, position, traceAddress, effective } = placed;
  const isCall = CALL_TYPES.has(frame.type);
  const isCreation = CREATE_TYPES.has(frame.type);
  // A delegate call reports its caller's value and moves none.
  const value = frame.type === "delegatecall" ? "0x0" : (frame.value ?? "0x0");
  const toAddress = isCreation ? null : frame.to;
  const createdContract = isCreation && effective ? frame.to : null;
  rows.internalTransactions.push({
    blockNumber,
    transactionIndex,
    position,
    traceAddress,
    type: isCall ? "call" : tracerText(frame.type),
    callType: isCall ? frame.type : null,
    fromAddress: frame.from,
    toAddress,
    createdContract,
    value,
    gas: frame.gas,
    // Tracers disagree on the gas of the top-level frame (intrinsic, refunded, or anvil's: of the block so far).
    gasUsed: position === 0 ? receipt.gasUsed : frame.gasUsed,
    // The top-level frame's is the transaction's; an empty one was dropped.
    input: position === 0 ? null : frame.input || null,
    error: frame.error === null ? null : tracerText(frame.error),
    effective,
  });
  const valued = !isCall || BigInt(value) > 0n;
  const sides = new Map<Hex, number>([[frame.from, SIDE.sender]]);
  addSide(sides, toAddress, SIDE.receiver);
  addSide(sides, createdContract, SIDE.created);
  for (const [address, side] of sides) {
    rows.addressInternalTransactions.push({
      address,
      blockNumber,
      transactionIndex,
      position,
      sides: side,
      valued,
    });
  }
}
