import type { RawBlock, RawReceipt, RawTransaction, TransactionTrace } from "../../chain/types.ts";
import { pad } from "../../core/deep-imports.ts";
import type { Hex } from "../../core/evm/hex.ts";
import {
  isQuantity,
  quantityToBigInt,
  quantityToInt64,
  quantityToNumber,
} from "../../core/evm/quantity.ts";
import { isNothing } from "../../core/json/record.ts";
import { type ChainRows, SIDE } from "../../store/writer/chain-tables.ts";
import { fieldsOfReceipt, fieldsOfTransaction, l1FeeOf } from "./chain-fields.ts";
import { hasFailed, statusOf, tracerText } from "./frames.ts";

/** Adds the block, its transactions, hashes and activity to the rows; receipts and traces are in the same order. */
export function decodeTransactions(
  rows: ChainRows,
  block: RawBlock,
  receipts: readonly RawReceipt[],
  traces: readonly TransactionTrace[] | null,
): void {
  const blockNumber = quantityToNumber(block.number);
  const baseFee = quantityToBigInt(block.baseFeePerGas ?? "0x0");
  let fees = 0n;
  let reward = 0n;
  let l1Fees: bigint | null = null;
  let minimum: bigint | null = null;
  let maximum: bigint | null = null;
  for (const [transactionIndex, transaction] of block.transactions.entries()) {
    const receipt = receipts[transactionIndex] as RawReceipt;
    const trace = traces?.[transactionIndex];
    const gasPrice = receipt.effectiveGasPrice ?? transaction.gasPrice ?? "0x0";
    const gasUsed = quantityToBigInt(receipt.gasUsed);
    const price = quantityToBigInt(gasPrice);
    fees += gasUsed * price;
    if (minimum === null || price < minimum) minimum = price;
    if (maximum === null || price > maximum) maximum = price;
    // Deposits of rollups pay nothing, not even the base fee.
    if (price > baseFee) reward += gasUsed * (price - baseFee);
    const l1Fee = l1FeeOf(receipt);
    if (l1Fee !== null) l1Fees = (l1Fees ?? 0n) + BigInt(l1Fee);
    const failed = hasFailed(receipt, trace);
    const isCreation = transaction.to === null && !failed;
    const createdContract = isCreation ? (receipt.contractAddress ?? null) : null;
    const error = failed ? (trace?.frame.error ?? null) : null;
    rows.transactions.push({
      blockNumber,
      transactionIndex,
      hash: transaction.hash,
      type: quantityToNumber(transaction.type ?? "0x0"),
      fromAddress: transaction.from,
      toAddress: transaction.to,
      createdContract,
      nonce: transaction.nonce,
      value: transaction.value,
      gas: transaction.gas,
      gasPrice,
      maxFeePerGas: transaction.maxFeePerGas ?? null,
      maxPriorityFeePerGas: transaction.maxPriorityFeePerGas ?? null,
      gasUsed: receipt.gasUsed,
      cumulativeGasUsed: receipt.cumulativeGasUsed,
      status: statusOf(receipt),
      input: transaction.input,
      error: error === null ? null : tracerText(error),
      revertData: error === null ? null : (trace?.frame.output ?? null),
      v: transaction.v ?? transaction.yParity ?? null,
      // Nodes drop leading zeros of signature values.
      r: transaction.r ? pad(transaction.r) : null,
      s: transaction.s ? pad(transaction.s) : null,
      extra: extraFields(transaction, receipt, gasPrice),
      l1Fee,
    });
    rows.transactionHashes.push({ hash: transaction.hash, blockNumber, transactionIndex });
    const sides = new Map<Hex, number>([[transaction.from, SIDE.sender]]);
    addSide(sides, transaction.to, SIDE.receiver);
    addSide(sides, createdContract, SIDE.created);
    for (const [address, side] of sides) {
      rows.addressTransactions.push({ address, blockNumber, transactionIndex, sides: side });
    }
  }
  rows.blocks.push({
    number: blockNumber,
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: quantityToNumber(block.timestamp),
    miner: block.miner,
    difficulty: block.difficulty ?? "0x0",
    size: quantityToNumber(block.size ?? "0x0"),
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    baseFeePerGas: block.baseFeePerGas ?? null,
    transactionCount: block.transactions.length,
    fees,
    reward,
    gasPriceMinimum: minimum,
    gasPriceMaximum: maximum,
    l1Fees,
  });
  for (const withdrawal of block.withdrawals ?? []) {
    rows.withdrawals.push({
      blockNumber,
      withdrawalIndex: quantityToInt64(withdrawal.index),
      validatorIndex: quantityToInt64(withdrawal.validatorIndex),
      address: withdrawal.address,
      amount: withdrawal.amount,
    });
  }
}

/** Adds a side to those of an address; ignores null. */
export function addSide(sides: Map<Hex, number>, address: Hex | null, side: number): void {
  if (address !== null) sides.set(address, (sides.get(address) ?? 0) | side);
}

/** Returns the fields of some types as JSON, or null. A signed gas price is kept where the effective one differs (Arbitrum). */
function extraFields(transaction: RawTransaction, receipt: RawReceipt, gasPrice: Hex) {
  const { accessList, authorizationList, maxFeePerBlobGas, blobVersionedHashes } = transaction;
  const { blobGasUsed, blobGasPrice } = receipt;
  const hasAccessList = Array.isArray(accessList) && accessList.length > 0;
  const isBlob = maxFeePerBlobGas !== undefined;
  const signedPrice = isNothing(transaction.maxFeePerGas) ? transaction.gasPrice : undefined;
  const isOtherPrice =
    !isNothing(signedPrice) && signedPrice !== gasPrice && isQuantity(signedPrice);
  const ofTransaction = fieldsOfTransaction(transaction);
  const ofReceipt = fieldsOfReceipt(receipt);
  const isOrdinary = !hasAccessList && !isBlob && authorizationList === undefined && !isOtherPrice;
  if (isOrdinary && !ofTransaction && !ofReceipt) return null;
  return JSON.stringify({
    ...(hasAccessList ? { accessList } : {}),
    ...(isBlob ? { maxFeePerBlobGas, blobVersionedHashes, blobGasUsed, blobGasPrice } : {}),
    authorizationList,
    ...(isOtherPrice ? { gasPrice: signedPrice } : {}),
    transaction: ofTransaction,
    receipt: ofReceipt,
  });
}
