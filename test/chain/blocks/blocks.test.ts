import { describe, expect, test } from "vitest";
import { wordOfAddress } from "../../../src/core/evm/address.ts";
import type { Hex } from "../../../src/core/evm/hex.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import {
  blockWith,
  type Effect,
  emptyList,
  type IncomingCall,
  lastMissing,
  lie,
  methodMissing,
  nothing,
  receiptsOfOtherBlock,
  rpcError,
} from "../../support/scripted-node/faults.ts";
import { TRANSFER, word } from "../../support/scripted-node/ledger.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

const token = scriptedAddress("token");
const [alice, bob] = [scriptedAddress("alice"), scriptedAddress("bob")];

/** Blocks 1 to 3: one with transactions of many kinds, an empty one, one with a single transaction. */
function grow(chain: ScriptedChain): void {
  chain.mine(
    {
      transactions: [
        { type: 0x7e, from: alice, to: bob, valueWei: 3n, fields: { mint: "0x1" } },
        {
          to: token,
          logs: [
            {
              address: token,
              topics: [TRANSFER, wordOfAddress(alice), wordOfAddress(bob)],
              data: word(1),
            },
          ],
          calls: [{ from: token, to: bob, valueWei: 2n }],
        },
        { to: null, error: "execution reverted" },
      ],
      withdrawals: [{ address: alice, amountGwei: 7 }],
    },
    1,
    { transactions: [{}] },
  );
}

/** The answer of a tracer that has none of a transaction. */
function withoutResult(traces: readonly object[], place: number): object[] {
  return traces.map((trace, index) => (index === place ? { ...trace, result: null } : trace));
}

function withError(traces: readonly object[], place: number): object[] {
  const error = "tracing failed: insufficient funds";
  return traces.map((trace, index) =>
    index === place ? { ...trace, result: null, error } : trace,
  );
}

const WAYS: readonly [name: string, without: string[]][] = [
  ["block receipts and debug_traceBlockByHash", []],
  ["block receipts and debug_traceBlockByNumber", ["debug_traceBlockByHash"]],
  ["block receipts and trace_block", ["debug_"]],
  [
    "single receipts and single traces",
    ["eth_getBlockReceipts", "debug_traceBlockByHash", "debug_traceBlockByNumber", "trace_"],
  ],
];

describe("fetchBlocks", () => {
  test.each(WAYS)("fetches the whole of each block by %s", async (_, without) => {
    const node = await openNode({ without });
    grow(node.chain);
    const { chain } = openChain([node]);
    const { blocks, node: source } = await chain.fetchBlocks([0, 1, 2, 3]);
    expect(source).toBe(chain.nodes[0]);
    for (const [number, fetched] of blocks.entries()) {
      const scripted = node.chain.at(number);
      expect(fetched?.block).toEqual(JSON.parse(JSON.stringify(scripted?.block)));
      expect(fetched?.receipts).toEqual(JSON.parse(JSON.stringify(scripted?.receipts)));
      expect(fetched?.traces?.map(({ transactionHash }) => transactionHash)).toEqual(
        scripted?.block.transactions.map(({ hash }) => hash),
      );
    }
    expect(blocks[1]?.traces?.[1]?.frame).toMatchObject({
      type: "call",
      to: token,
      calls: [{ type: "call", from: token, to: bob, value: "0x2" }],
    });
    expect(blocks[1]?.traces?.[2]?.frame).toMatchObject({ type: "create", to: null });
  });

  test("takes two round trips for a range, and traces no empty block", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.probe();
    // From then on it is known how heavy blocks are.
    await chain.fetchBlocks([0]);
    node.requests.length = 0;
    await chain.fetchBlocks([0, 1, 2, 3]);
    expect(node.requests.map((calls) => calls.length)).toEqual([8, 2]);
  });

  test("gives null for a block that the node does not have", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    const { blocks } = await chain.fetchBlocks([3, 4, 1_000_000]);
    expect(blocks.map((block) => block?.block.number ?? null)).toEqual(["0x3", null, null]);
  });

  test("does not ask for more heavy blocks at once than it gives", async () => {
    const node = await openNode();
    const heavy = { transactions: [{ gasUsed: 250_000_000 }] };
    node.chain.mine(...Array.from({ length: 40 }, () => heavy), 60);
    const { chain } = openChain([node]);
    await chain.probe();
    node.requests.length = 0;
    const asked = () => node.count("eth_getBlockByNumber");
    const fetchFrom = async (first: number) => {
      const numbers = Array.from({ length: 20 }, (_, index) => first + index);
      return (await chain.fetchBlocks(numbers)).blocks.length;
    };
    expect(await Promise.all([fetchFrom(1), fetchFrom(10)])).toEqual([1, 1]);
    expect(asked()).toBe(4);
    expect(await fetchFrom(2)).toBe(1);
    expect(asked()).toBe(6);
    expect(await fetchFrom(41)).toBe(20);
    expect(await fetchFrom(61)).toBe(20);
    expect(asked()).toBe(46);
  });

  test("gives only the first of heavy blocks, and traces no others", async () => {
    const node = await openNode();
    const heavy = { transactions: [{ gasUsed: 250_000_000 }] };
    node.chain.mine(2, heavy, heavy, heavy);
    const { chain } = openChain([node]);
    await chain.probe();
    node.requests.length = 0;
    const given = async (numbers: number[]) =>
      (await chain.fetchBlocks(numbers)).blocks.map((block) => block?.block.number);
    expect(await given([1, 2, 3, 4, 5])).toEqual(["0x1", "0x2", "0x3"]);
    expect(await given([4, 5])).toEqual(["0x4"]);
    expect(node.count("debug_traceBlockByHash")).toBe(2);
  });

  test("goes on asking after a block without a number for its gas", async () => {
    const node = await openNode();
    node.chain.mine(4);
    const { chain } = openChain([node]);
    const when = ({ params }: IncomingCall) => params[0] === "0x1";
    node.fail({ method: "eth_getBlockByNumber", when, effect: blockWith({ gasUsed: "0x" }) });
    expect((await chain.fetchBlocks([0, 1, 2, 3, 4])).blocks.length).toBe(5);
  });

  test("gives none for no numbers", async () => {
    const { chain } = openChain([await openNode()]);
    expect((await chain.fetchBlocks([])).blocks).toEqual([]);
  });

  test("passes on what is wrong but well formed, for the caller to judge", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    const otherHash: Hex = `0x${"1".repeat(64)}`;
    const receiptsWith = async (effect: Parameters<typeof node.fail>[0]["effect"]) => {
      node.fail({ method: "eth_getBlockReceipts", effect });
      node.fail({ method: "eth_getTransactionReceipt", effect: nothing() });
      const { blocks } = await chain.fetchBlocks([1]);
      node.heal();
      return blocks[0]?.receipts;
    };
    expect(await receiptsWith(emptyList())).toEqual([]);
    expect(await receiptsWith(nothing())).toEqual([]);
    expect(await receiptsWith(rpcError(-32000, "block not found"))).toEqual([]);
    expect(await receiptsWith(lastMissing())).toHaveLength(2);
    expect((await receiptsWith(receiptsOfOtherBlock(otherHash)))?.[0]?.blockHash).toBe(otherHash);
    node.fail({ method: "debug_traceBlockByHash", effect: lastMissing() });
    node.fail({ method: "debug_traceTransaction", effect: rpcError(-32000, "no trace") });
    node.fail({ method: "trace_block", effect: rpcError(-32000, "no trace") });
    expect((await chain.fetchBlocks([1])).blocks[0]?.traces).toHaveLength(2);
  });

  test.each([
    ["a block without a hash", "eth_getBlockByNumber", { number: "0x1" }],
    ["a block with hashes in place of transactions", "eth_getBlockByNumber", undefined],
    ["receipts that are no list", "eth_getBlockReceipts", {}],
    ["traces that are no list", "debug_traceBlockByHash", {}],
  ])("asks again after %s", async (_, method, answer) => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.probe();
    const withHashes = (block: unknown) => ({ ...(block as object), transactions: ["0x1"] });
    node.fail({ method, effect: lie((result) => answer ?? withHashes(result)), times: 1 });
    const { blocks } = await chain.fetchBlocks([1]);
    expect(blocks[0]).toMatchObject({ block: { hash: node.chain.at(1)?.block.hash } });
    expect(node.count("eth_getBlockByNumber")).toBeGreaterThan(2);
  });

  test("falls back to single receipts when block receipts turn out to be missing", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.probe();
    node.fail({ method: "eth_getBlockReceipts", effect: methodMissing() });
    expect((await chain.fetchBlocks([1])).blocks[0]?.receipts).toHaveLength(3);
    expect((await chain.fetchBlocks([3])).blocks[0]?.receipts).toHaveLength(1);
    expect(node.count("eth_getBlockReceipts")).toBe(2);
    expect(chain.capabilities().blockReceipts).toBe(false);
  });

  test.each([
    ["leaves one out", lastMissing()],
    ["gives none", emptyList()],
    ["fails", rpcError(-32000, "failed to find transaction in block")],
  ])("asks for single receipts of a block for which the node %s", async (_, effect) => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.fetchBlocks([1]);
    const when = ({ params }: IncomingCall) => params[0] === "0x1";
    node.fail({ method: "eth_getBlockReceipts", when, effect });
    const { blocks } = await chain.fetchBlocks([1, 2, 3]);
    expect(blocks.map((one) => one?.receipts)).toEqual(
      [1, 2, 3].map((number) => node.chain.at(number)?.receipts),
    );
    expect(node.count("eth_getTransactionReceipt")).toBe(3);
    // A missing block does not affect others.
    node.fail({ method: "eth_getTransactionReceipt", effect: rpcError(-32000, "no receipt") });
    expect((await chain.fetchBlocks([3, 1])).blocks[0]?.receipts).toHaveLength(1);
  });

  const leftOut: readonly (readonly [string, Effect])[] = [
    ["leaves the first one out", lie((traces) => (traces as unknown[]).slice(1))],
    ["gives none", emptyList()],
    // onflow/flow-evm-gateway#519
    ["gives nulls", lie((traces) => (traces as unknown[]).map(() => null))],
    // ethereum/go-ethereum#31178
    ["names an error in place of one", lie((traces) => withError(traces as object[], 1))],
    // 0xPolygon/bor#1920
    ["fails", rpcError(-32000, "intrinsic gas too low: have 0, want 21000")],
    // onflow/flow-evm-gateway#606, hiero-ledger/hiero-json-rpc-relay#4386
    ["gives a null of one", lie((traces) => withoutResult(traces as object[], 1))],
  ];

  test.each(leftOut)("asks for single traces of a block where the tracer %s", async (_, effect) => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    const [whole] = (await chain.fetchBlocks([1])).blocks;
    const when = ({ params }: IncomingCall) => params[0] === whole?.block.hash;
    node.fail({ method: "debug_traceBlockByHash", when, effect });
    const { blocks } = await chain.fetchBlocks([1, 2, 3]);
    expect(blocks[0]?.traces).toEqual(whole?.traces);
    expect(blocks[2]?.traces).toHaveLength(1);
    expect(node.count("debug_traceTransaction")).toBe(3);
  });

  test.each([
    ["has none either", nothing()],
    ["is not there", methodMissing()],
    ["fails", rpcError(-32000, "failed to trace transaction")],
  ])("takes trace_block where the tracer gives nulls, and that of one %s", async (_, effect) => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    const whole = await chain.fetchBlocks([1, 2, 3]);
    const nulls = lie((traces) => withoutResult(traces as object[], 0));
    node.fail({ method: "debug_traceBlockByHash", effect: nulls });
    node.fail({ method: "debug_traceTransaction", effect });
    const { blocks } = await chain.fetchBlocks([1, 2, 3]);
    const framesOf = (some: typeof blocks) =>
      some.map((one) => one?.traces?.map(({ frame }) => [frame.from, frame.calls.length]));
    expect(framesOf(blocks)).toEqual(framesOf(whole.blocks));
    expect(node.count("trace_block")).toBe(2);
  });

  test("settles on another tracer when the first was never able to trace", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    expect((await chain.probe()).capabilities.tracer).toBe("debug_traceBlockByHash");
    grow(node.chain);
    const unsupported = rpcError(-32602, "unsupported tracer");
    node.fail({ effect: unsupported, when: ({ method }) => method.startsWith("debug_") });
    expect((await chain.fetchBlocks([1])).blocks[0]?.traces).toHaveLength(3);
    expect(chain.capabilities().tracer).toBe("trace_block");
  });

  test("does not take a tracer for gone that has traced before", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.fetchBlocks([1]);
    node.behaviour.without.push("debug_", "trace_");
    await expect(chain.fetchBlocks([3])).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringContaining("was there and is not"),
    });
    node.behaviour.without.length = 0;
    expect((await chain.fetchBlocks([3])).blocks[0]?.traces).toHaveLength(1);
  });

  test("leaves a block without traces whose state is pruned, and says so once", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain, log } = openChain([node]);
    await chain.probe();
    const first = node.chain.at(1)?.block.hash;
    node.fail({
      method: "debug_traceBlockByHash",
      when: ({ params }) => params[0] === first,
      effect: rpcError(-32000, "required historical state unavailable (reexec=128)"),
    });
    node.fail({ method: "trace_block", effect: rpcError(-32000, "state is not available") });
    for (let i = 0; i < 2; i++) {
      const { blocks } = await chain.fetchBlocks([1, 2, 3]);
      expect(blocks.map((block) => block?.traces?.length ?? null)).toEqual([null, 0, 1]);
    }
    expect(log.filter((line) => line.includes("old blocks"))).toHaveLength(1);
  });

  test("takes the traces that a node kept of a block whose state is pruned", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.probe();
    node.fail({
      method: "debug_traceBlockByHash",
      effect: lie(() => [{ error: "Resource not found" }]),
    });
    const { blocks } = await chain.fetchBlocks([3]);
    expect(blocks[0]?.traces).toHaveLength(1);
  });

  test("throws when the tracer gives up, and fetches without traces when asked to", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    await chain.probe();
    const gaveUp = lie(() => [{ error: "out of memory" }]);
    node.fail({ method: "debug_traceBlockByHash", effect: gaveUp });
    for (const method of ["debug_traceTransaction", "trace_block"])
      node.fail({ method, effect: rpcError(-32000, "out of memory") });
    await expect(chain.fetchBlocks([3])).rejects.toMatchObject({ code: "node-error" });
    const { blocks } = await chain.fetchBlocks([3], { traces: false });
    expect(blocks[0]).toMatchObject({ receipts: [{}], traces: null });
  });

  test.each([[[null]], [["0x"]], [[{}]]])(
    "asks one by one where receipts are none: %j",
    async (nonsense) => {
      const node = await openNode();
      grow(node.chain);
      const { chain } = openChain([node]);
      node.fail({ method: "eth_getBlockReceipts", effect: lie(() => nonsense) });
      const { blocks } = await chain.fetchBlocks([3]);
      expect(blocks[0]).toMatchObject({ receipts: [{ status: "0x1" }], traces: [{}] });
    },
  );

  test("traces a block by its transactions when all of them are too large for the node", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    const refused = rpcError(-32003, "response too large");
    node.fail({ method: "debug_traceBlockByHash", effect: refused });
    const { blocks } = await chain.fetchBlocks([1, 3]);
    expect(blocks.map((one) => one?.traces?.length)).toEqual([3, 1]);
    expect(blocks[0]?.traces?.[1]?.frame).toMatchObject({ to: token, calls: [{ to: bob }] });
  });

  test("traces a block by trace_block when the other tracer takes too long for it", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node], { requestTimeoutMs: 200 });
    const heavy = ({ params }: { params: readonly unknown[] }): boolean =>
      params[0] === node.chain.at(1)?.block.hash;
    node.fail({ method: "debug_traceBlockByHash", when: heavy, effect: { kind: "stall" } });
    const { blocks } = await chain.fetchBlocks([1, 3]);
    expect(blocks.map((one) => one?.traces?.length)).toEqual([3, 1]);
  });

  test("gets all blocks from one node, another one when that one fails", async () => {
    const shared = new ScriptedChain();
    grow(shared);
    const [first, second] = [await openNode({ chain: shared }), await openNode({ chain: shared })];
    const { chain } = openChain([first, second]);
    await chain.probe();
    first.fail({ method: "eth_getBlockByNumber", effect: rpcError(-32603, "Internal error") });
    const fetched = await chain.fetchBlocks([1, 2, 3]);
    expect(fetched.node).toBe(chain.nodes[1]);
    expect(fetched.blocks.every((block) => block !== null)).toBe(true);
    first.heal();
    expect((await chain.fetchBlocks([1])).node).toBe(chain.nodes[0]);
    expect((await chain.fetchBlocks([1], { avoid: chain.nodes[0] ?? "" })).node).toBe(
      chain.nodes[1],
    );
  });

  test("takes blocks from the node that can trace them", async () => {
    const shared = new ScriptedChain();
    grow(shared);
    const first = await openNode({ chain: shared, without: ["debug_", "trace_"] });
    const second = await openNode({ chain: shared });
    const { chain } = openChain([first, second]);
    await chain.probe();
    const { node, blocks } = await chain.fetchBlocks([1]);
    expect(node).toBe(chain.nodes[1]);
    expect(blocks[0]?.traces).toHaveLength(3);
    expect((await chain.fetchBlocks([1], { traces: false })).node).toBe(chain.nodes[0]);
  });

  test("fetches a long range from a node that bears little", async () => {
    const node = await openNode({ limits: { batch: 5, responseBytes: 20_000 } });
    for (let i = 0; i < 10; i++) grow(node.chain);
    const { chain } = openChain([node]);
    const numbers = Array.from({ length: 31 }, (_, number) => number);
    const { blocks } = await chain.fetchBlocks(numbers);
    expect(blocks.map((block) => Number(block?.block.number))).toEqual(numbers);
  });
});

describe("headers", () => {
  test("are found by number and by hash, and null where there is none", async () => {
    const node = await openNode();
    grow(node.chain);
    const { chain } = openChain([node]);
    const head = await chain.fetchHead();
    expect(head).toMatchObject({ number: 3, parentHash: node.chain.at(2)?.block.hash });
    expect(await chain.fetchHeader(head.hash)).toMatchObject({ number: 3, hash: head.hash });
    expect(await chain.fetchHeader(2)).toMatchObject({ number: 2, hash: head.parentHash });
    expect(await chain.fetchHeader(4)).toBeNull();
    node.fail({ method: "eth_getBlockByHash", effect: rpcError(-32000, "header not found") });
    expect(await chain.fetchHeader(head.hash)).toBeNull();
  });

  test("are asked for again when they are not whole", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ effect: lie(() => ({ number: "0x0" })), times: 1 });
    expect(await chain.fetchHead()).toMatchObject({ number: 0 });
  });
});
