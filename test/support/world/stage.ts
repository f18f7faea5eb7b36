import type { Address, Hex } from "viem";
import { createJsonRpc, type JsonRpc } from "../oracle/json-rpc.ts";

/** A transaction to send. Fields left out: no receiver (a creation), no value, no data, 1,000,000 gas, type 2. */
interface Draft {
  from: Address;
  to?: Address;
  value?: bigint;
  data?: Hex;
  gas?: bigint;
  /** Of type 2: the producer's tip per gas, in wei (1 gwei). Transactions of a block come by price. */
  tip?: bigint;
  /** Form of the price: `legacy` (type 0), `accessList` (2930), `dynamicFee` (1559). */
  pricing?: "legacy" | "accessList" | "dynamicFee";
}

/** The scenarios' part of a receipt. */
interface StageReceipt {
  transactionHash: Hex;
  status: Hex;
  gasUsed: Hex;
  contractAddress: Address | null;
  blockNumber: Hex;
}

/**
 * Stage of the scenarios: transactions are collected, and `mine` puts them into one block; anvil
 * drops those beyond its gas. Works only while nothing else makes the node mine.
 */
export interface Stage {
  readonly rpc: JsonRpc;
  /** The node's unlocked accounts, the first ten. */
  readonly accounts: readonly Address[];
  send(draft: Draft): void;
  /** Adds a signed transaction, which the next `mine` sends behind the collected ones. */
  sendRaw(transaction: Hex): void;
  /** Mines what was sent, in the order it was sent per sender. `spacing` is the seconds since the last block. */
  mine(spacing?: number): Promise<StageReceipt[]>;
}

const GAS = 1_000_000n;
const GAS_PRICE = 200_000_000_000n;
const TIP = 1_000_000_000n;
const MOST_BLOCKS = 20;

function hex(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

function prices(draft: Draft): Record<string, unknown> {
  const { pricing = "dynamicFee" } = draft;
  if (pricing === "dynamicFee") {
    return { maxFeePerGas: hex(GAS_PRICE), maxPriorityFeePerGas: hex(draft.tip ?? TIP) };
  }
  if (pricing === "legacy") return { gasPrice: hex(GAS_PRICE) };
  const storageKeys = [`0x${"00".repeat(32)}`, `0x${"00".repeat(31)}01`];
  return {
    gasPrice: hex(GAS_PRICE),
    accessList: [{ address: draft.to ?? draft.from, storageKeys }],
  };
}

/** Stage on the node at `url`; turns its own mining off. */
export async function createStage(url: string): Promise<Stage> {
  const rpc = createJsonRpc(url);
  await rpc.request("evm_setAutomine", false);
  await rpc.request("evm_setIntervalMining", 0);
  const accounts = (await rpc.request<Address[]>("eth_accounts")).slice(0, 10);
  let drafts: Draft[] = [];
  let signed: Hex[] = [];

  async function nextNonces(senders: readonly Address[]): Promise<Map<Address, bigint>> {
    const nonces = await rpc.requestAll<Hex>(
      senders.map((sender) => ({
        method: "eth_getTransactionCount",
        params: [sender, "pending"],
      })),
    );
    return new Map(senders.map((sender, index) => [sender, BigInt(nonces[index] as Hex)]));
  }

  async function sendAll(): Promise<Hex[]> {
    const nonces = await nextNonces([...new Set(drafts.map((draft) => draft.from))]);
    const calls = drafts.map((draft) => {
      const nonce = nonces.get(draft.from) as bigint;
      nonces.set(draft.from, nonce + 1n);
      const transaction = {
        from: draft.from,
        ...(draft.to && { to: draft.to }),
        value: hex(draft.value ?? 0n),
        data: draft.data ?? "0x",
        gas: hex(draft.gas ?? GAS),
        nonce: hex(nonce),
        ...prices(draft),
      };
      return { method: "eth_sendTransaction", params: [transaction] };
    });
    const raw = signed.map((transaction) => ({
      method: "eth_sendRawTransaction",
      params: [transaction],
    }));
    drafts = [];
    signed = [];
    return [...(await rpc.requestAll<Hex>(calls)), ...(await rpc.requestAll<Hex>(raw))];
  }

  async function mineBlock(spacing: number | undefined): Promise<void> {
    if (spacing !== undefined) {
      const { timestamp } = await rpc.request<{ timestamp: Hex }>(
        "eth_getBlockByNumber",
        "latest",
        false,
      );
      await rpc.request("evm_setNextBlockTimestamp", Number(timestamp) + spacing);
    }
    await rpc.request("evm_mine");
  }

  return {
    rpc,
    accounts,
    send: (draft) => {
      drafts.push(draft);
    },
    sendRaw: (transaction) => {
      signed.push(transaction);
    },
    async mine(spacing) {
      const hashes = await sendAll();
      const calls = hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] }));
      for (let block = 0; block < MOST_BLOCKS; block++) {
        await mineBlock(spacing);
        const receipts = await rpc.requestAll<StageReceipt | null>(calls);
        if (receipts.every((receipt) => receipt !== null)) return receipts;
      }
      throw new Error("the node left a transaction unmined");
    },
  };
}
