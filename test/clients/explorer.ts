import { createWalletClient, type Hex, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { vi } from "vitest";
import { startAnvil } from "../support/anvil.ts";
import { startPeriscope } from "../support/periscope.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** A chain, and Periscope over it as `npm start` runs it. */
export interface Explorer {
  rpcUrl: string;
  /** Where the API's paths begin. */
  url: string;
  /** Deploys init code; the address with its checksum, once it is indexed. */
  deploy(initCode: Hex): Promise<Hex>;
  /** Waits until all that is on the chain is indexed. */
  indexed(): Promise<void>;
  /** What an action answers, `query` being the text behind the question mark. */
  ask(query: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** Not one that development tools take for a chain nobody verifies on. */
export const CHAIN_ID = 4711;
/** The first account of every anvil. */
export const PRIVATE_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
/** Its address. */
export const DEPLOYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

const PATIENCE = { timeout: 30_000, interval: 50 };

/** Starts both; `settings` are Periscope's, beside those that tell it where its chain and its database are. */
export async function startExplorer(
  settings: Readonly<Record<string, string>> = {},
): Promise<Explorer> {
  const [anvil, database] = await Promise.all([
    startAnvil(["--chain-id", String(CHAIN_ID)]),
    createTestDatabase(),
  ]);
  const periscope = startPeriscope({ ...settings, RPC_URL: anvil.url, DATABASE_URL: database.url });
  const { api } = await periscope.ready;
  const wallet = createWalletClient({
    account: privateKeyToAccount(PRIVATE_KEY),
    transport: http(anvil.url),
    pollingInterval: 50,
  }).extend(publicActions);

  async function ask(query: string): Promise<unknown> {
    return (await fetch(`${api}?${query}`)).json();
  }

  async function indexed(): Promise<void> {
    const head = Number(await wallet.getBlockNumber({ cacheTime: 0 }));
    const served = async () => {
      const { result } = (await ask("module=block&action=eth_block_number")) as { result: string };
      return Number(result) >= head;
    };
    await vi.waitUntil(served, PATIENCE);
  }

  return {
    rpcUrl: anvil.url,
    url: new URL(api).origin,
    deploy: async (initCode) => {
      const hash = await wallet.sendTransaction({ data: initCode, chain: null });
      const { contractAddress } = await wallet.waitForTransactionReceipt({ hash });
      if (!contractAddress) throw new Error("the transaction created no contract");
      await indexed();
      return contractAddress;
    },
    indexed,
    ask,
    stop: async () => {
      await periscope.end();
      await database.drop();
      await anvil.stop();
    },
  };
}
