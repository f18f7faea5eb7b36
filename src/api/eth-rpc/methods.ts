import { isAddress, lowerAddress } from "../../core/evm/address.ts";
import { isHash, lowerHex } from "../../core/evm/hex.ts";
import { isQuantity, quantity } from "../../core/evm/quantity.ts";
import { isRecord } from "../../core/json/record.ts";
import { askOnce } from "../explorer/forwarding.ts";
import { readBalanceAt } from "../explorer/from-node/accounts.ts";
import { GAS_NOT_ESTIMATED } from "../explorer/gas.ts";
import { readHeadNumber } from "../reading/snapshot.ts";
import { getLogs } from "./logs.ts";
import { type IndexMethod, type NodeTag, type RpcOutcome, rpcFailure } from "./rpc.ts";
import { findReceipt, findTransaction } from "./transactions.ts";

const INTEGER = /^[+-]?\d+$/;
const NOT_FOUND = rpcFailure("not-found", "Balance not found");

function invalid(parameter: string): RpcOutcome {
  return rpcFailure("invalid-parameter", `Query parameter '${parameter}' is invalid`, parameter);
}

/** A block that only the node can resolve. */
type NodeBlock = NodeTag | { blockHash: string };

/** Returns a block's number, infinite for the served head, or its hash (32 bytes, EIP-1898); undefined for anything else. */
function parseBlock(block: unknown): number | NodeBlock | undefined {
  if (block === undefined || block === null || block === "latest" || block === "pending") {
    return Number.POSITIVE_INFINITY;
  }
  if (block === "earliest") return 0;
  if (block === "safe" || block === "finalized") return block;
  if (isHash(block)) return { blockHash: block };
  if (isRecord(block)) {
    const { blockHash, blockNumber } = block;
    if (blockHash !== undefined) return isHash(blockHash) ? { ...block, blockHash } : undefined;
    return isQuantity(blockNumber) ? Number.parseInt(blockNumber, 16) : undefined;
  }
  if (isQuantity(block)) return Number.parseInt(block, 16);
  const isNumber = typeof block === "number" || (typeof block === "string" && INTEGER.test(block));
  const number = isNumber ? Number(block) : Number.NaN;
  return Number.isInteger(number) && number >= 0 ? number : undefined;
}

function gasPrice(method: string): IndexMethod {
  return {
    parameters: [0, 0],
    servedWhileLoading: true,
    async answer({ chain }) {
      const result = await askOnce(chain, method);
      return isQuantity(result) ? { result } : rpcFailure("loading", GAS_NOT_ESTIMATED);
    },
  };
}

const INVALID_HASH = rpcFailure("invalid-parameter", "Transaction hash is invalid");

function byHash(find: typeof findTransaction): IndexMethod {
  return {
    parameters: [1, 1],
    answer: async (context, [hash]) =>
      isHash(hash) ? find(context, lowerHex(hash), context.forward) : INVALID_HASH,
  };
}

/** The methods answered by the index. */
export const indexMethods: Readonly<Record<string, IndexMethod>> = {
  eth_blockNumber: {
    parameters: [0, 0],
    servedWhileLoading: true,
    answer: async ({ read }) => ({ result: quantity(await readHeadNumber(read)) }),
  },
  eth_chainId: {
    parameters: [0, 0],
    servedWhileLoading: true,
    answer: async (services) => ({ result: quantity(services.chainId()) }),
  },
  /** At the served head from the index, at another block from the node. */
  eth_getBalance: {
    parameters: [1, 2],
    async answer(context, [address, block]) {
      if (!isAddress(address)) return invalid("address");
      const at = parseBlock(block);
      if (at === undefined) return invalid("block");
      if (typeof at !== "number") {
        const { chain } = context;
        const result = await askOnce(chain, "eth_getBalance", address, at);
        return isQuantity(result) ? { result } : NOT_FOUND;
      }
      const balance = await readBalanceAt(context, lowerAddress(address), at);
      return balance === undefined ? NOT_FOUND : { result: quantity(balance) };
    },
  },
  eth_getLogs: getLogs,
  eth_gasPrice: gasPrice("eth_gasPrice"),
  eth_maxPriorityFeePerGas: gasPrice("eth_maxPriorityFeePerGas"),
  eth_getTransactionByHash: byHash(findTransaction),
  eth_getTransactionReceipt: byHash(findReceipt),
};
