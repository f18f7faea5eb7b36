import { expect, test } from "vitest";
import {
  earlierReceipt,
  fetchEarlierReceipt,
  findTransaction,
  mayHaveBeenFunded,
  notIndexed,
} from "../../../../../src/api/explorer/from-node/transactions/unindexed.ts";
import type { CallerChain } from "../../../../../src/chain/caller-chain.ts";
import { ChainError } from "../../../../../src/core/errors.ts";
import { addressAt } from "../../../../support/build.ts";

const START = { startBlock: 16 };
const WHOLE = { startBlock: 0 };
const HASH = `0x${"1".repeat(64)}` as const;
const ACCOUNT = addressAt(1);

/** A chain with given answers, and its questions. */
function chainOf(answers: Readonly<Record<string, unknown>>) {
  const asked: unknown[] = [];
  const request = async (method: string, params: readonly unknown[]) => {
    asked.push([method, ...params]);
    const answer = answers[method];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { asked, chain: { request } as unknown as CallerChain };
}

test("tells which blocks are not indexed", () => {
  expect(notIndexed(START)).toBe("Blocks before 16 are not indexed");
});

test("a receipt counts when it is of a block before the first one", () => {
  const receipt = { blockNumber: "0xf", status: "0x1" };
  expect(earlierReceipt(receipt, START)).toBe(receipt);
});

test.each([null, "0xf", { blockNumber: "0x10" }, { blockNumber: null }, { blockNumber: "15" }])(
  "what is no receipt of an earlier block does not count: %j",
  (receipt) => {
    expect(earlierReceipt(receipt, START)).toBeNull();
  },
);

test("asks the node for the receipt of a transaction that the index lacks", async () => {
  const receipt = { blockNumber: "0xf" };
  const { asked, chain } = chainOf({ eth_getTransactionReceipt: receipt });
  expect(await fetchEarlierReceipt(chain, HASH, START)).toBe(receipt);
  expect(asked).toEqual([["eth_getTransactionReceipt", HASH]]);
});

test("asks nobody where the whole chain is indexed", async () => {
  const { asked, chain } = chainOf({});
  expect(await fetchEarlierReceipt(chain, HASH, WHOLE)).toBeNull();
  expect(await mayHaveBeenFunded(chain, ACCOUNT, WHOLE)).toBe(false);
  expect(asked).toEqual([]);
});

test("a transaction of the index is given without asking the node", async () => {
  const { asked, chain } = chainOf({});
  const read = async () => ({ transaction: { hash: HASH }, head: START });
  expect(await findTransaction({ chain, read: read as never }, HASH)).toEqual({
    transaction: { hash: HASH },
  });
  expect(asked).toEqual([]);
});

test("a transaction that only the node has is told by its receipt", async () => {
  const receipt = { blockNumber: "0x3" };
  const { chain } = chainOf({ eth_getTransactionReceipt: receipt });
  const read = async () => ({ transaction: undefined, head: START });
  expect(await findTransaction({ chain, read: read as never }, HASH)).toEqual({ earlier: receipt });
});

test.each([
  ["0x0", "0x0", false],
  ["0x1", "0x0", true],
  ["0x0", "0x1", true],
  [new ChainError("state-unavailable", "pruned"), "0x0", true],
])(
  "an account with %s and nonce %s before the first block: funded %s",
  async (balance, nonce, is) => {
    const { asked, chain } = chainOf({ eth_getBalance: balance, eth_getTransactionCount: nonce });
    expect(await mayHaveBeenFunded(chain, ACCOUNT, START)).toBe(is);
    expect(asked).toEqual([
      ["eth_getBalance", ACCOUNT, "0xf"],
      ["eth_getTransactionCount", ACCOUNT, "0xf"],
    ]);
  },
);

test.each([new ChainError("timeout", "late"), new TypeError("state-unavailable")])(
  "other trouble of the node is no answer: %s",
  async (error) => {
    const { chain } = chainOf({ eth_getBalance: error, eth_getTransactionCount: "0x0" });
    await expect(mayHaveBeenFunded(chain, ACCOUNT, START)).rejects.toBe(error);
  },
);

test("an error that only names the code is none of the chain's", async () => {
  const error = Object.assign(new Error("no state"), { code: "state-unavailable" });
  const { chain } = chainOf({ eth_getBalance: error, eth_getTransactionCount: "0x0" });
  await expect(mayHaveBeenFunded(chain, ACCOUNT, START)).rejects.toBe(error);
});
