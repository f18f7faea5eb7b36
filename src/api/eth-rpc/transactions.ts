import { isHash, lowerHex } from "../../core/hex.ts";
import { logsBloom } from "../../core/logs-bloom.ts";
import { quantity } from "../../core/quantity.ts";
import { isRecord } from "../../core/record.ts";
import type { TransactionLog } from "../../store/logs.ts";
import {
  getReceipt,
  getSignedTransaction,
  type SignedTransaction,
  type StoredReceipt,
} from "../../store/rpc-transactions.ts";
import { earlierReceipt } from "../live/earlier-blocks.ts";
import { withoutUnservedBlock } from "../live/mempool.ts";
import { topicsOf } from "../present/log.ts";
import { type IndexMethod, rpcFailure } from "./rpc.ts";

const INVALID_HASH = rpcFailure("Transaction hash is invalid");

/** `eth_getTransactionByHash`: one that the index does not have may wait in the node's pool. */
export const getTransactionByHash: IndexMethod = {
  parameters: [1, 1],
  async answer({ read, chainId, forward }, [hash]) {
    if (!isHash(hash)) return INVALID_HASH;
    const { transaction, head } = await read(async (sql, served) => ({
      transaction: await getSignedTransaction(sql, lowerHex(hash)),
      head: await served,
    }));
    if (transaction) return { result: presentTransaction(transaction, chainId()) };
    const call = { method: "eth_getTransactionByHash", params: [lowerHex(hash)] };
    const answer = await forward(call);
    if ("error" in answer) return answer;
    const { result } = answer;
    return { result: isRecord(result) ? withoutUnservedBlock(result, head) : null };
  },
};

/** `eth_getTransactionReceipt`: one from before the first indexed block is the node's. */
export const getTransactionReceipt: IndexMethod = {
  parameters: [1, 1],
  async answer({ read, forward }, [hash]) {
    if (!isHash(hash)) return INVALID_HASH;
    const { receipt, head } = await read(async (sql, served) => ({
      receipt: await getReceipt(sql, lowerHex(hash)),
      head: await served,
    }));
    if (receipt) return { result: presentReceipt(receipt) };
    if (head.startBlock === 0) return { result: null };
    const call = { method: "eth_getTransactionReceipt", params: [lowerHex(hash)] };
    const answer = await forward(call);
    return "error" in answer ? answer : { result: earlierReceipt(answer.result, head) };
  },
};

/** A log of JSON-RPC; `transactionHash` and block come from around it. */
export function presentLog(
  log: TransactionLog,
  place: {
    blockHash: string;
    blockNumber: number;
    transactionHash: string;
    transactionIndex: number;
  },
) {
  return {
    address: log.address,
    blockHash: place.blockHash,
    blockNumber: quantity(place.blockNumber),
    data: log.data,
    logIndex: quantity(log.logIndex),
    removed: false,
    topics: topicsOf(log),
    transactionHash: place.transactionHash,
    transactionIndex: quantity(place.transactionIndex),
  };
}

/** A transaction of JSON-RPC. */
export function presentTransaction(transaction: SignedTransaction, chainId: number) {
  const { type, v, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const { accessList, authorizationList, maxFeePerBlobGas, blobVersionedHashes } =
    transaction.extra ?? {};
  return {
    blockHash: transaction.blockHash,
    blockNumber: quantity(transaction.blockNumber),
    from: transaction.from,
    gas: quantity(transaction.gas),
    gasPrice: quantity(transaction.gasPrice),
    hash: transaction.hash,
    input: transaction.input,
    nonce: quantity(transaction.nonce),
    to: transaction.to,
    transactionIndex: quantity(transaction.transactionIndex),
    value: quantity(transaction.value),
    type: quantity(type),
    chainId: quantity(chainId),
    v: optionalQuantity(v),
    r: optionalQuantity(transaction.r),
    s: optionalQuantity(transaction.s),
    ...(maxFeePerGas !== null && { maxFeePerGas: quantity(maxFeePerGas) }),
    ...(maxPriorityFeePerGas !== null && { maxPriorityFeePerGas: quantity(maxPriorityFeePerGas) }),
    ...(type > 0 && { yParity: optionalQuantity(v), accessList: accessList ?? [] }),
    ...(authorizationList !== undefined && { authorizationList }),
    ...(maxFeePerBlobGas !== undefined && { maxFeePerBlobGas, blobVersionedHashes }),
  };
}

/** A receipt of JSON-RPC. */
export function presentReceipt(receipt: StoredReceipt) {
  const { logs, status } = receipt;
  const { blobGasPrice, blobGasUsed } = receipt.extra ?? {};
  const place = { ...receipt, transactionHash: receipt.hash };
  return {
    blockHash: receipt.blockHash,
    blockNumber: quantity(receipt.blockNumber),
    contractAddress: receipt.createdContract,
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    effectiveGasPrice: quantity(receipt.gasPrice),
    from: receipt.from,
    gasUsed: quantity(receipt.gasUsed),
    logs: logs.map((log) => presentLog(log, place)),
    logsBloom: logsBloom(logs.map((log) => ({ address: log.address, topics: topicsOf(log) }))),
    status: status === null ? null : quantity(status),
    to: receipt.to,
    transactionHash: receipt.hash,
    transactionIndex: quantity(receipt.transactionIndex),
    type: quantity(receipt.type),
    ...(blobGasUsed !== undefined && { blobGasPrice, blobGasUsed }),
  };
}

function optionalQuantity(value: string | null) {
  return value === null ? null : quantity(value);
}
