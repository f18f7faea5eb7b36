import { expect, test } from "vitest";
import { fetchRevertData } from "../../../../../src/api/explorer/from-node/transactions/reverts.ts";
import type { Chain } from "../../../../../src/chain/chain.ts";
import type { ChainErrorCode } from "../../../../../src/chain/errors/codes.ts";
import { NodeError } from "../../../../../src/chain/errors/errors.ts";
import type { Outcome } from "../../../../../src/chain/errors/outcomes.ts";
import type { RpcCall } from "../../../../../src/chain/options.ts";
import { createNodeClient } from "../../../../../src/chain/rpc/node-client.ts";
import { ChainError } from "../../../../../src/core/errors.ts";
import type { Hex } from "../../../../../src/core/evm/hex.ts";
import type { TransactionDetail } from "../../../../../src/store/lists/transactions.ts";
import { addressAt } from "../../../../support/build.ts";

const PARENT: Hex = `0x${"11".repeat(32)}`;
const OTHER: Hex = `0x${"22".repeat(32)}`;
const FAILED = {
  blockNumber: 7,
  parentHash: PARENT,
  from: addressAt(1),
  to: addressAt(2),
  value: "5",
  gas: "21000",
  input: "0xaabb",
} as unknown as TransactionDetail;

function failure(code: ChainErrorCode, data?: unknown): Outcome {
  const answer = { code: 3, message: "execution reverted", data };
  return { error: new NodeError(code, "the node's words", { answer }) };
}

/** Result when the node answers the call so, and has this block (or none) before the transaction's. */
async function find(outcome: Outcome, header: Hex | null = PARENT, transaction = FAILED) {
  const asked: RpcCall[] = [];
  const viem = () =>
    createNodeClient(async (calls) => {
      asked.push(...calls);
      return calls.map(() => outcome);
    });
  const fetchHeader = async (number: number) => header && { number, hash: header };
  const chain = { viem, fetchHeader } as unknown as Chain;
  return { found: await fetchRevertData({ chain }, transaction), asked };
}

test("the call is made again on the state before the transaction's block", async () => {
  const { found, asked } = await find(failure("reverted", "0xABCD"));
  expect(found).toBe("0xabcd");
  const call = { from: FAILED.from, to: FAILED.to, gas: "0x5208", value: "0x5", data: "0xaabb" };
  expect(asked).toEqual([{ method: "eth_call", params: [call, "0x6"] }]);
});

test("a creation of the first block is made on the state of that block", async () => {
  const first = { ...FAILED, blockNumber: 0, to: null };
  const { asked } = await find(failure("reverted", "0x"), PARENT, first);
  expect(asked[0]?.params).toEqual([expect.not.objectContaining({ to: expect.anything() }), "0x0"]);
});

test.each<[string, Outcome, Hex | undefined]>([
  ["it reverts without data", failure("reverted"), "0x"],
  ["it reverts with something else", failure("reverted", { message: "no" }), "0x"],
  ["it uses up its gas", failure("out-of-gas", "0xabcd"), "0x"],
  ["the node has no such state", failure("state-unavailable"), undefined],
  ["it succeeds", { result: "0x" }, undefined],
])("when %s the data is as far as is known", async (_case, outcome, data) => {
  expect((await find(outcome)).found).toBe(data);
});

test("a block that was replaced is told, when it decided the answer", async () => {
  const replaced = find(failure("reverted", "0xabcd"), OTHER);
  await expect(replaced).rejects.toMatchObject({ code: "block-replaced", retryable: true });
  await expect(replaced).rejects.toThrow(ChainError);
  expect((await find(failure("reverted", "0xabcd"), null)).found).toBe("0xabcd");
  expect((await find({ result: "0x" }, OTHER)).found).toBeUndefined();
});

test("anything but a node's error goes on", async () => {
  const viem = () => createNodeClient(() => Promise.reject(new TypeError("a bug")));
  const chain = { viem } as unknown as Chain;
  await expect(fetchRevertData({ chain }, FAILED)).rejects.toThrow("a bug");
});
