import { inOneForm } from "../../core/evm/authorization.ts";
import type { Hex } from "../../core/evm/hex.ts";
import { logsBloom } from "../../core/evm/logs-bloom.ts";
import { quantity } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import type { TransactionLog } from "../../store/lists/logs.ts";
import {
  getReceipt,
  getSignedTransaction,
  type SignedTransaction,
  type StoredReceipt,
} from "../../store/lists/rpc-transactions.ts";
import type { Context } from "../explorer/action.ts";
import type { Forward, Forwarded } from "../explorer/forwarding.ts";
import {
  earlierReceipt,
  withoutUnservedBlock,
} from "../explorer/from-node/transactions/unindexed.ts";
import { topicsOf } from "../explorer/present/log.ts";
import { withHead } from "../reading/snapshot.ts";

/** Finds a transaction by its hash, in the index or in the node's pool. */
export async function findTransaction(
  { read, chainId }: Pick<Context, "read" | "chainId">,
  hash: Hex,
  forward: Forward,
): Promise<Forwarded> {
  const { found: transaction, head } = await withHead(read, (sql) =>
    getSignedTransaction(sql, hash),
  );
  if (transaction) return { result: presentTransaction(transaction, chainId()) };
  const answer = await forward({ method: "eth_getTransactionByHash", params: [hash] });
  if ("error" in answer) return answer;
  const { result } = answer;
  return { result: isRecord(result) ? withoutUnservedBlock(result, head) : null };
}

/** Finds the receipt of a transaction; the node has those from before the first indexed block. */
export async function findReceipt(
  { read }: Pick<Context, "read">,
  hash: Hex,
  forward: Forward,
): Promise<Forwarded> {
  const { found: receipt, head } = await withHead(read, (sql) => getReceipt(sql, hash));
  if (receipt) return { result: presentReceipt(receipt) };
  if (head.startBlock === 0) return { result: null };
  const answer = await forward({ method: "eth_getTransactionReceipt", params: [hash] });
  return "error" in answer ? answer : { result: earlierReceipt(answer.result, head) };
}

/** Presents a log of JSON-RPC; `transactionHash` and block come from the caller. */
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

/** Presents a transaction of JSON-RPC. */
export function presentTransaction(transaction: SignedTransaction, chainId: number) {
  const { type, v, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const { accessList, authorizationList, maxFeePerBlobGas, blobVersionedHashes } =
    transaction.extra ?? {};
  return {
    blockHash: transaction.blockHash,
    blockNumber: quantity(transaction.blockNumber),
    from: transaction.from,
    gas: quantity(transaction.gas),
    gasPrice: transaction.extra?.gasPrice ?? quantity(transaction.gasPrice),
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
    ...(authorizationList !== undefined && { authorizationList: inOneForm(authorizationList) }),
    ...(maxFeePerBlobGas !== undefined && { maxFeePerBlobGas, blobVersionedHashes }),
    ...transaction.extra?.transaction,
  };
}

/** Presents a receipt of JSON-RPC. */
export function presentReceipt(receipt: StoredReceipt) {
  const { logs, status, l1Fee } = receipt;
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
    ...(l1Fee !== null && { l1Fee: quantity(l1Fee) }),
    ...receipt.extra?.receipt,
  };
}

function optionalQuantity(value: string | null) {
  return value === null ? null : quantity(value);
}
