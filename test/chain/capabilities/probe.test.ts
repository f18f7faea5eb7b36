import { describe, expect, test } from "vitest";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import { html, lie, methodMissing, rpcError } from "../../support/scripted-node/faults.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

const OPCODES = [{ result: { gas: 21000, failed: false, structLogs: [] } }];

describe("probe", () => {
  test("tells who the node is and what it can do, also on a chain of genesis only", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    expect(await chain.probe()).toEqual({
      chainId: 31337,
      clientVersion: "scripted/1",
      capabilities: {
        blockReceipts: true,
        tracer: "debug_traceBlockByHash",
        tracerReason: null,
        archive: true,
        txpool: true,
        settled: true,
      },
    });
  });

  test("does not take one bad answer for a pool that is never shown", async () => {
    const node = await openNode();
    node.fail({ method: "txpool_status", effect: rpcError(-32_603, "Internal error") });
    const { chain } = openChain([node]);
    expect(await chain.probe()).toMatchObject({ capabilities: { txpool: true } });
  });

  test.each([
    [["debug_traceBlockByHash"], "debug_traceBlockByNumber"],
    [["debug_"], "trace_block"],
    [["debug_traceBlockByHash", "debug_traceBlockByNumber", "trace_"], "debug_traceTransaction"],
  ])("finds the next best tracer of a node without %s", async (without, tracer) => {
    const node = await openNode({ without });
    node.chain.mine({ transactions: [{}] });
    const { chain } = openChain([node]);
    expect((await chain.probe()).capabilities).toMatchObject({ tracer, tracerReason: null });
  });

  test("tells once why there are no traces", async () => {
    const node = await openNode({ without: ["debug_", "trace_"] });
    node.chain.mine({ transactions: [{}] });
    const { chain, log } = openChain([node]);
    const { capabilities } = await chain.probe();
    expect(capabilities).toMatchObject({
      tracer: null,
      tracerReason: expect.stringContaining("debug_traceBlockByHash does not exist"),
      settled: true,
    });
    for (const number of [0, 1, 1, 1]) await chain.fetchBlocks([number]);
    expect(log.filter((line) => line.includes("no internal transactions"))).toHaveLength(1);
  });

  test("does not look for a tracer when traces are switched off", async () => {
    const node = await openNode();
    const { chain } = openChain([node], { traces: "off" });
    const { capabilities } = await chain.probe();
    expect(capabilities).toMatchObject({ tracer: null, tracerReason: "switched off" });
    expect(node.requests.flat().some(({ method }) => /debug|trace/.test(method))).toBe(false);
  });

  test("takes a tracer that answers opcode by opcode for none", async () => {
    const node = await openNode();
    node.chain.mine({ transactions: [{}] });
    for (const method of ["debug_traceBlockByHash", "debug_traceBlockByNumber"]) {
      node.fail({ method, effect: lie(() => OPCODES) });
    }
    const { chain } = openChain([node]);
    expect((await chain.probe()).capabilities.tracer).toBe("trace_block");
  });

  test("takes methods that a hosted node forbids for missing", async () => {
    const node = await openNode({ without: ["trace_"] });
    const forbidden = { kind: "http" as const, status: 403 };
    node.fail({ effect: forbidden, when: ({ method }) => method.startsWith("debug_") });
    const { chain } = openChain([node]);
    expect((await chain.probe()).capabilities.tracer).toBeNull();
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
  });

  test("leaves open what a node in trouble cannot tell, and finds out when blocks are fetched", async () => {
    const [first, second] = [await openNode(), await openNode()];
    second.fail({ effect: html() });
    const { chain } = openChain([first, second]);
    expect((await chain.probe()).capabilities.settled).toBe(false);
    second.heal();
    await chain.fetchBlocks([0], { node: chain.nodes[1] ?? "" });
    expect(chain.capabilities().settled).toBe(true);
  });

  test("knows an archive from a pruned node, and neither when the node does not tell", async () => {
    const archiveOf = async (node: Awaited<ReturnType<typeof openNode>>) => {
      node.chain.mine(10);
      return (await openChain([node]).chain.probe()).capabilities.archive;
    };
    expect(await archiveOf(await openNode())).toBe(true);
    expect(await archiveOf(await openNode({ statesKept: 5 }))).toBe(false);
    const silent = await openNode();
    silent.fail({ method: "eth_getBalance", effect: rpcError(-32603, "Internal error") });
    expect(await archiveOf(silent)).toBeNull();
  });

  test("counts what any node offers", async () => {
    const shared = new ScriptedChain();
    const first = await openNode({ chain: shared, without: ["debug_", "trace_", "txpool_"] });
    first.fail({ method: "eth_getBlockReceipts", effect: methodMissing() });
    const second = await openNode({ chain: shared, without: ["debug_"] });
    const { chain } = openChain([first, second]);
    expect((await chain.probe()).capabilities).toMatchObject({
      tracer: "trace_block",
      blockReceipts: true,
      txpool: true,
    });
  });
});
