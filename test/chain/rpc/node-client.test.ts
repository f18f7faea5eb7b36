import { readFileSync } from "node:fs";
import { multicall3Abi } from "viem";
import {
  call,
  getBalance,
  getBlock,
  getChainId,
  getCode,
  getStorageAt,
  getTransactionCount,
  readContract,
} from "viem/actions";
import { describe, expect, test } from "vitest";
import {
  errorOfAnswer,
  NodeError,
  nodeErrorIn,
  unwrapError,
} from "../../../src/chain/errors/errors.ts";
import { createNodeClient, type NodeClient } from "../../../src/chain/rpc/node-client.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

const address: Hex = `0x${"11".repeat(20)}`;
const hash: Hex = `0x${"22".repeat(32)}`;

const header = { hash, parentHash: hash };
const INEXACT = "0x20000000000000";

const ACTIONS: Readonly<Record<string, (viem: NodeClient) => Promise<unknown>>> = {
  call: (viem) => call(viem, { to: address, data: "0x01", blockHash: hash }),
  "call of a creation with overrides": (viem) =>
    call(viem, {
      account: address,
      data: "0x00",
      stateOverride: [{ address, nonce: 1 }],
      blockOverrides: { number: 1n },
    }),
  getBalance: (viem) => getBalance(viem, { address }),
  getBlock: (viem) => getBlock(viem),
  getChainId: (viem) => getChainId(viem),
  getCode: (viem) => getCode(viem, { address }),
  getStorageAt: (viem) => getStorageAt(viem, { address, slot: hash }),
  getTransactionCount: (viem) => getTransactionCount(viem, { address }),
  readContract: (viem) =>
    readContract(viem, { address, abi: multicall3Abi, functionName: "aggregate3", args: [[]] }),
};

/** A client of a node that says the same to everything. */
function saying(outcome: { result: unknown } | { error: NodeError }): NodeClient {
  return createNodeClient(async (calls) => calls.map(() => outcome));
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

const corpus = JSON.parse(
  readFileSync(new URL("../../fixtures/node-errors.json", import.meta.url), "utf8"),
) as { code: number | null; message: string; data?: unknown; status: number }[];

describe.each(Object.entries(ACTIONS))("viem's %s", (_, action) => {
  test("throws what holds the node's own error, whatever the node said", async () => {
    for (const { code, message, data, status } of corpus) {
      const said = { code: code ?? -32_000, message, ...(data !== undefined && { data }) };
      const error = errorOfAnswer("node", said, { status });
      const thrown = await thrownBy(action(saying({ error })));
      expect(nodeErrorIn(thrown), message).toBe(error);
      expect(unwrapError(thrown)).toBe(error);
    }
  });

  test("asks once, whatever the node said", async () => {
    for (const { code, message, status } of corpus) {
      const error = errorOfAnswer("node", { code: code ?? -32_000, message }, { status });
      let asked = 0;
      const viem = createNodeClient(async (calls) => {
        asked += calls.length;
        return calls.map(() => ({ error }));
      });
      await thrownBy(action(viem));
      expect(asked, message).toBe(1);
    }
  });

  test.each([
    ["a text", "many"],
    ["an empty text", ""],
    ["a number", 7],
    ["a list", []],
    ["an object", {}],
    ["true", true],
    ["half a block", { number: "0x1", hash, timestamp: "0x1" }],
    ["a block of a number that is not exact", { number: INEXACT, ...header, timestamp: "0x1" }],
    ["a block of a time that is no number", { number: "0x1", ...header, timestamp: "now" }],
  ])("does not take %s for an answer", async (_name, result) => {
    const error = unwrapError(await thrownBy(action(saying({ result }))));
    expect(error).toBeInstanceOf(NodeError);
    expect(error).toMatchObject({ code: "bad-answer", retryable: true });
  });
});

test("what is asked at the same time goes out as one request, each with its own outcome", async () => {
  const node = await openNode();
  node.chain.mine(3);
  const { chain, requests } = openChain([node]);
  const viem = chain.viem();
  const [id, block, missing, balance] = await Promise.allSettled([
    getChainId(viem),
    getBlock(viem, { blockNumber: 2n }),
    getBlock(viem, { blockNumber: 99n }),
    getBalance(viem, { address }),
  ]);
  expect(id).toMatchObject({ value: 31337 });
  expect(block).toMatchObject({ value: { number: 2n } });
  expect(missing).toMatchObject({ reason: { name: "BlockNotFoundError" } });
  expect(balance).toMatchObject({ value: 0n });
  expect(requests).toEqual(["batch ok"]);
});

test("a failure of the whole question is that of each part", async () => {
  const error = new NodeError("head-moved", "the head never stood still");
  const viem = createNodeClient(() => Promise.reject(error));
  const thrown = await Promise.all([
    thrownBy(getChainId(viem)),
    thrownBy(getBalance(viem, { address })),
  ]);
  expect(thrown.map(nodeErrorIn)).toEqual([error, error]);
});
