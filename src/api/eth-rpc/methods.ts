import { isQuantity, quantity } from "../../core/evm/quantity.ts";
import { askOnce } from "../explorer/forwarding.ts";
import { GAS_NOT_ESTIMATED } from "../explorer/gas/prices.ts";
import { readHeadNumber } from "../reading/snapshot.ts";
import { getBalance } from "./balance.ts";
import { getLogs } from "./logs.ts";
import { type IndexMethod, rpcFailure } from "./rpc.ts";
import { getTransactionByHash, getTransactionReceipt } from "./transactions.ts";

const blockNumber: IndexMethod = {
  parameters: [0, 0],
  servedWhileLoading: true,
  async answer({ read }) {
    return { result: quantity(await readHeadNumber(read)) };
  },
};

const chainId: IndexMethod = {
  parameters: [0, 0],
  servedWhileLoading: true,
  async answer(services) {
    return { result: quantity(services.chainId()) };
  },
};

/** Declares a price that the node estimates. */
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

/** The methods answered by the index. */
export const indexMethods: Readonly<Record<string, IndexMethod>> = {
  eth_blockNumber: blockNumber,
  eth_chainId: chainId,
  eth_getBalance: getBalance,
  eth_getLogs: getLogs,
  eth_gasPrice: gasPrice("eth_gasPrice"),
  eth_maxPriorityFeePerGas: gasPrice("eth_maxPriorityFeePerGas"),
  eth_getTransactionByHash: getTransactionByHash,
  eth_getTransactionReceipt: getTransactionReceipt,
};
