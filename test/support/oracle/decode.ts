import type { Address, Hex } from "viem";
import type { ChainBlock, NodeFrame, NodeReceipt, NodeTransaction } from "./chain.ts";
import {
  type ContractCreation,
  type ContractEvent,
  creationsOf,
  destructionsOf,
} from "./contracts.ts";
import { flatten, type InternalTransaction } from "./frames.ts";
import { type Movement, movementsOf } from "./transfers.ts";

/** Transactions that an OP-stack rollup's L1 orders, whose gas is free. */
export const DEPOSIT_TYPE = 0x7e;

export interface OracleBlock {
  number: number;
  hash: Hex;
  parentHash: Hex;
  timestamp: number;
  miner: Address;
  difficulty: bigint;
  size: number;
  gasLimit: bigint;
  gasUsed: bigint;
  baseFeePerGas: bigint | null;
  transactionCount: number;
  /** Sum of gas used times effective price, in wei. */
  fees: bigint;
  /** The producer's part of it. */
  reward: bigint;
  uncles: { number: number; hash: Hex; timestamp: number; miner: Address }[];
  withdrawals: { index: number; validatorIndex: number; address: Address; amount: bigint }[];
}

export interface OracleTransaction {
  blockNumber: number;
  transactionIndex: number;
  hash: Hex;
  type: number;
  from: Address;
  to: Address | null;
  /** Null when it failed. */
  created: Address | null;
  nonce: bigint;
  value: bigint;
  gas: bigint;
  /** The price that was paid. */
  gasPrice: bigint;
  gasUsed: bigint;
  cumulativeGasUsed: bigint;
  /** Of the receipt; null before Byzantium. */
  status: number | null;
  /** By the receipt, before Byzantium by the trace; null without either. */
  succeeded: boolean | null;
  input: Hex;
  /** The error of a failed transaction, by its trace. */
  error: string | null;
  revertData: Hex | null;
  /** The rest, as the node gave it. */
  raw: NodeTransaction;
  rawReceipt: NodeReceipt;
}

export interface OracleLog {
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
  address: Address;
  topics: Hex[];
  data: Hex;
}

/** One id of one log; `batchIndex` is its place in a batch. */
export interface OracleTransfer extends Movement {
  blockNumber: number;
  transactionIndex: number;
  logIndex: number;
  batchIndex: number;
  token: Address;
}

/** Contents of the blocks, in chain order. `frames` includes the top-level calls. */
export interface DecodedChain {
  blocks: OracleBlock[];
  transactions: OracleTransaction[];
  logs: OracleLog[];
  frames: InternalTransaction[];
  transfers: OracleTransfer[];
  creations: ContractCreation[];
  destructions: ContractEvent[];
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

function optional(quantity: Hex | undefined): bigint | null {
  return quantity === undefined ? null : BigInt(quantity);
}

/** EIP-658: receipts have a status since Byzantium. Before, only a trace shows it. */
function isFailed({ status }: NodeReceipt, trace: NodeFrame | undefined): boolean {
  return status === undefined ? trace?.error !== undefined : status === "0x0";
}

function decodeTransactions({ block, receipts, traces }: ChainBlock): OracleTransaction[] {
  return block.transactions.map((raw, transactionIndex) => {
    const receipt = receipts[transactionIndex] as NodeReceipt;
    const trace: NodeFrame | undefined = traces?.[transactionIndex];
    const failed = isFailed(receipt, trace);
    return {
      blockNumber: Number(block.number),
      transactionIndex,
      hash: raw.hash,
      type: Number(raw.type ?? 0),
      from: raw.from,
      to: raw.to,
      created: failed || raw.to ? null : receipt.contractAddress,
      nonce: BigInt(raw.nonce),
      value: BigInt(raw.value),
      gas: BigInt(raw.gas),
      gasPrice: BigInt(receipt.effectiveGasPrice ?? raw.gasPrice ?? 0),
      gasUsed: BigInt(receipt.gasUsed),
      cumulativeGasUsed: BigInt(receipt.cumulativeGasUsed),
      status: receipt.status === undefined ? null : Number(receipt.status),
      succeeded: receipt.status === undefined && !trace ? null : !failed,
      input: raw.input.toLowerCase() as Hex,
      error: failed ? (trace?.error ?? null) : null,
      revertData: failed ? (trace?.output ?? null) : null,
      raw,
      rawReceipt: receipt,
    };
  });
}

function decodeBlock(chainBlock: ChainBlock): OracleBlock {
  const { block } = chainBlock;
  const transactions = decodeTransactions(chainBlock);
  const baseFee = optional(block.baseFeePerGas);
  return {
    number: Number(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    miner: block.miner,
    difficulty: BigInt(block.difficulty ?? 0),
    size: Number(block.size),
    gasLimit: BigInt(block.gasLimit),
    gasUsed: BigInt(block.gasUsed),
    baseFeePerGas: baseFee,
    transactionCount: transactions.length,
    fees: sum(transactions.map(({ gasUsed, gasPrice }) => gasUsed * gasPrice)),
    reward: sum(
      transactions
        .filter(({ type }) => type !== DEPOSIT_TYPE)
        .map(({ gasUsed, gasPrice }) => gasUsed * (gasPrice - (baseFee ?? 0n))),
    ),
    uncles: chainBlock.uncles.map(({ number, hash, timestamp, miner }) => ({
      number: Number(number),
      hash,
      timestamp: Number(timestamp),
      miner,
    })),
    withdrawals: (block.withdrawals ?? []).map(({ index, validatorIndex, address, amount }) => ({
      index: Number(index),
      validatorIndex: Number(validatorIndex),
      address,
      amount: BigInt(amount),
    })),
  };
}

function decodeLogs({ block, receipts }: ChainBlock): OracleLog[] {
  return receipts.flatMap(({ logs }, transactionIndex) =>
    logs.map(({ address, topics, data, logIndex }) => ({
      blockNumber: Number(block.number),
      transactionIndex,
      logIndex: Number(logIndex),
      address,
      topics,
      data,
    })),
  );
}

/** Its logs record transfers of the coin (EIP-7708). */
const SYSTEM = "0xfffffffffffffffffffffffffffffffffffffffe";

function decodeTransfers(logs: readonly OracleLog[]): OracleTransfer[] {
  return logs.flatMap(({ blockNumber, transactionIndex, logIndex, address, topics, data }) =>
    (address === SYSTEM ? [] : movementsOf(topics, data)).map((movement, batchIndex) => ({
      ...movement,
      blockNumber,
      transactionIndex,
      logIndex,
      batchIndex,
      token: address,
    })),
  );
}

/** The frames of a block, top-level calls included; tracers differ on the gas of the top level, the receipt does not. */
function decodeFrames({ block, receipts, traces }: ChainBlock): InternalTransaction[] {
  return (traces ?? []).flatMap((trace, transactionIndex) => {
    const receipt = receipts[transactionIndex] as NodeReceipt;
    const failed = isFailed(receipt, trace);
    // The receipt decides whether the transaction failed, and what it created, over the tracer.
    const { error, output, ...rest } = trace;
    const isMisjudged = !failed && error !== undefined;
    const to = rest.to ?? receipt.contractAddress;
    const top = isMisjudged ? { ...rest, ...(to && { to }) } : trace;
    const entries = flatten(top, Number(block.number), transactionIndex, failed);
    const [first] = entries;
    if (first) first.gasUsed = BigInt(receipt.gasUsed);
    return entries;
  });
}

function decodeOne(chainBlock: ChainBlock): DecodedChain {
  const logs = decodeLogs(chainBlock);
  const frames = decodeFrames(chainBlock);
  return {
    blocks: [decodeBlock(chainBlock)],
    transactions: decodeTransactions(chainBlock),
    logs,
    frames,
    transfers: decodeTransfers(logs),
    creations: creationsOf(chainBlock, frames),
    destructions: destructionsOf(chainBlock, frames),
  };
}

const decodedBlocks = new WeakMap<ChainBlock, DecodedChain>();

/** All facts of blocks without further questions. */
export function decodeChain(chainBlocks: readonly ChainBlock[]): DecodedChain {
  const decoded = chainBlocks.map((chainBlock) => {
    const one = decodedBlocks.get(chainBlock) ?? decodeOne(chainBlock);
    decodedBlocks.set(chainBlock, one);
    return one;
  });
  return {
    blocks: decoded.flatMap(({ blocks }) => blocks),
    transactions: decoded.flatMap(({ transactions }) => transactions),
    logs: decoded.flatMap(({ logs }) => logs),
    frames: decoded.flatMap(({ frames }) => frames),
    transfers: decoded.flatMap(({ transfers }) => transfers),
    creations: decoded.flatMap(({ creations }) => creations),
    destructions: decoded.flatMap(({ destructions }) => destructions),
  };
}
