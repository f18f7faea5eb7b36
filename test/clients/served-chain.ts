import {
  createPublicClient,
  getAddress,
  type Hex,
  http,
  type RpcTransactionRequest,
  type TransactionReceipt,
} from "viem";
import { vi } from "vitest";

/** A chain that the API serves. */
export interface ServedChain {
  rpcUrl: string;
  /** Sends a transaction of the deployer; its receipt, once it is indexed. */
  send(transaction: Partial<RpcTransactionRequest>): Promise<TransactionReceipt>;
  /** Deploys init code; the address with its checksum, once it is indexed. */
  deploy(initCode: Hex): Promise<Hex>;
  /** Waits until all that is on the chain is indexed. */
  indexed(): Promise<void>;
  /** Returns the answer of an action for a query string. */
  ask(query: string): Promise<unknown>;
}

/** The first account of every anvil. */
export const PRIVATE_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
/** Its address. */
export const DEPLOYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

const PATIENCE = { timeout: 30_000, interval: 50 };

/** The chain of a node, whose API in Blockscout's dialect is at `api`. */
export function createServedChain(rpcUrl: string, api: string): ServedChain {
  const node = createPublicClient({ transport: http(rpcUrl), pollingInterval: 50 });

  async function ask(query: string): Promise<unknown> {
    return (await fetch(`${api}?${query}`)).json();
  }

  async function indexed(): Promise<void> {
    const head = Number(await node.getBlockNumber({ cacheTime: 0 }));
    const served = async () => {
      const { result } = (await ask("module=block&action=eth_block_number")) as { result: string };
      return Number(result) >= head;
    };
    await vi.waitUntil(served, PATIENCE);
  }

  async function send(transaction: Partial<RpcTransactionRequest>): Promise<TransactionReceipt> {
    const hash = await node.request<{ Parameters: [object]; ReturnType: Hex }>({
      method: "eth_sendTransaction",
      params: [{ from: DEPLOYER, ...transaction }],
    });
    const receipt = await node.waitForTransactionReceipt({ hash });
    await indexed();
    return receipt;
  }

  return {
    rpcUrl,
    send,
    deploy: async (initCode) => {
      const { contractAddress } = await send({ data: initCode });
      if (!contractAddress) throw new Error("the transaction created no contract");
      return getAddress(contractAddress);
    },
    indexed,
    ask,
  };
}
