import type { Hex } from "../../src/core/evm/hex.ts";
import type { Sql } from "../../src/db/client.ts";
import { addressAt, GWEI, publish, transactionHash, wordAt } from "./build.ts";
import { nodeBlocks } from "./node-blocks.ts";
import type { ScriptedChain } from "./scripted-node/chain.ts";

/**
 * Contents of the small world, and some missing ones: words for requests that find data. The first
 * ones are those of the actions' examples.
 */
export const vocabulary = {
  accounts: [
    "0x976ea74026e726554db657fa54763abd0c3a0aa9",
    addressAt(2),
    addressAt(0xfee),
    addressAt(0xdead),
  ] satisfies Hex[],
  contracts: [
    "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35",
    "0xa15bb66138824a1c7167f5e85b957d04dd34e468",
    addressAt(0x1155),
  ] satisfies Hex[],
  hashes: [
    "0xc8b2365468087f53736d1e781bfe9d08eab9b8993faa631b19cc2194321d6db8",
    transactionHash(2),
    transactionHash(3),
    wordAt(0xdead),
  ] satisfies Hex[],
  topics: [wordAt(1), wordAt(2), wordAt(0xdead)],
  days: ["2025-06-30", "2025-07-01", "2025-07-02"],
};

const HEIGHT = 12;

/**
 * Fills an empty database with a bit of everything that the actions answer from: 13 blocks, which the scripted chain
 * gets as well so that state may be asked of its node.
 */
export async function publishSmallWorld(sql: Sql, chain: ScriptedChain): Promise<void> {
  const [account = "0x", other = "0x"] = vocabulary.accounts;
  const [coin = "0x", art = "0x", items = "0x"] = vocabulary.contracts;
  const [hash = "0x"] = vocabulary.hashes;
  const [topic0 = "0x", topic1 = "0x"] = vocabulary.topics;
  chain.mine({ state: { balances: { [account]: 10n ** 20n, [other]: 5n } } }, HEIGHT - 1);
  await publish(sql, {
    blocks: nodeBlocks(chain),
    transactions: [
      {
        blockNumber: 1,
        hash,
        fromAddress: account,
        toAddress: null,
        createdContract: coin,
        input: "0x6000",
      },
      {
        blockNumber: 2,
        fromAddress: account,
        toAddress: coin,
        input: "0xa9059cbb",
        gasPrice: 3n * GWEI,
      },
      { blockNumber: 3, fromAddress: other, toAddress: account, value: 7n },
      {
        blockNumber: 3,
        transactionIndex: 1,
        fromAddress: account,
        toAddress: coin,
        status: 0,
        error: "execution reverted",
        revertData: "0x08c379a0",
      },
      { blockNumber: HEIGHT, fromAddress: account, toAddress: account },
    ],
    logs: [
      { blockNumber: 2, logIndex: 0, address: coin, topic0, topic1 },
      { blockNumber: 2, logIndex: 1, address: coin },
      { blockNumber: 3, logIndex: 0, address: art, topic0, topic1, topic2: topic1, topic3: topic0 },
    ],
    internalTransactions: [
      { blockNumber: 1, position: 0, type: "create", fromAddress: account, createdContract: coin },
      { blockNumber: 2, position: 1, fromAddress: coin, toAddress: other, value: 3n },
      {
        blockNumber: 2,
        position: 2,
        fromAddress: coin,
        toAddress: other,
        error: "out of gas",
        gasUsed: null,
      },
    ],
    tokenTransfers: [
      {
        blockNumber: 2,
        logIndex: 0,
        token: coin,
        fromAddress: account,
        toAddress: other,
        amount: 9n,
      },
      {
        blockNumber: 3,
        logIndex: 0,
        token: art,
        standard: 721,
        fromAddress: other,
        toAddress: account,
      },
      {
        blockNumber: 3,
        logIndex: 1,
        batchIndex: 0,
        token: items,
        standard: 1155,
        fromAddress: other,
        toAddress: account,
      },
      {
        blockNumber: 3,
        logIndex: 1,
        batchIndex: 1,
        token: items,
        standard: 1155,
        fromAddress: other,
        toAddress: account,
        tokenId: 2n,
      },
    ],
    withdrawals: [{ blockNumber: 4, withdrawalIndex: 88, address: account, amount: 17_204_411n }],
    contracts: [
      { blockNumber: 1, address: coin, creator: account },
      { blockNumber: 2, position: 1, address: art, creator: coin },
    ],
    addresses: [
      { address: account, firstBlock: 1, balance: String(10n ** 20n), balanceBlock: HEIGHT },
      { address: other, firstBlock: 2, balance: "5", balanceBlock: HEIGHT },
      { address: coin, firstBlock: 1 },
    ],
    tokens: [
      { address: coin, firstBlock: 2, holderCount: 2 },
      {
        address: art,
        firstBlock: 3,
        standard: 721,
        name: null,
        symbol: null,
        decimals: null,
        totalSupply: null,
        holderCount: 1,
      },
      {
        address: items,
        firstBlock: 3,
        standard: 1155,
        name: "Shells \u{1f41a}",
        decimals: null,
        holderCount: 1,
      },
    ],
    tokenBalances: [
      { token: coin, owner: account, amount: "884200100" },
      { token: coin, owner: other, amount: "9" },
      { token: art, owner: account, amount: "1" },
      { token: items, owner: account, amount: "2" },
    ],
    tokenIdBalances: [
      { token: items, owner: account, tokenId: "1" },
      { token: items, owner: account, tokenId: "2" },
    ],
    nftOwners: [{ token: art, owner: account, tokenId: "1" }],
    dailyStatistics: [{ day: "2025-07-01", blockCount: HEIGHT + 1, transactionCount: 5 }],
    coinSupply: String(10n ** 20n + 5n),
  });
}
