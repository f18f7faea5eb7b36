import { expect, test } from "vitest";
import { withoutUnservedBlock } from "../../../../../src/api/explorer/from-node/transactions/unindexed.ts";

const START = { startBlock: 16 };
const NOWHERE = { hash: "0x1", blockHash: null, blockNumber: null, transactionIndex: null };

test.each(["0x10", "0x11", null, undefined])(
  "a transaction that is not indexed waits, wherever from the first block on the node has it: %s",
  (blockNumber) => {
    const told = { hash: "0x1", blockHash: "0x2", blockNumber, transactionIndex: "0x0" };
    expect(withoutUnservedBlock(told, START)).toEqual(NOWHERE);
  },
);

test("a transaction from before the first block is where the node has it", () => {
  const told = { hash: "0x1", blockHash: "0x2", blockNumber: "0xf", transactionIndex: "0x0" };
  expect(withoutUnservedBlock(told, START)).toEqual(told);
});
