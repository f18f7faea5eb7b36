import { describe, expect, it } from "vitest";
import { Retry } from "../../../src/chain/retry.ts";
import type { RawBlock, RawReceipt } from "../../../src/chain/types.ts";
import { type Agreement, createAgreement } from "../../../src/indexer/checks/agreement.ts";
import { createProofs } from "../../../src/indexer/proof/proofs.ts";
import { initialStatus } from "../../../src/indexer/thread/status.ts";
import { createMetrics } from "../../../src/telemetry/metrics.ts";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import { type Effect, html, type IncomingCall, lie } from "../../support/scripted-node/faults.ts";
import type { ScriptedNode } from "../../support/scripted-node.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

const logs = [{ address: scriptedAddress("token") }, { address: scriptedAddress("other token") }];
const oddBloom = lie((block) => block && { ...(block as RawBlock), logsBloom: null });
const holes = lie((receipts) =>
  (receipts as RawReceipt[]).map((receipt) => ({ ...receipt, logs: receipt.logs.slice(1) })),
);

const anotherHash = lie((block) => ({ ...(block as RawBlock), hash: `0x${"ab".repeat(32)}` }));

const otherBlock = lie((receipts) =>
  (receipts as RawReceipt[]).map((receipt) => ({ ...receipt, blockHash: `0x${"cd".repeat(32)}` })),
);

interface Scene {
  nodes: ScriptedNode[];
  agreement: Agreement;
  status: ReturnType<typeof initialStatus>;
  warnings: string[];
  /** Accepts the head of the first node. */
  believeHead(retry?: Retry): ReturnType<Agreement["confirm"]>;
  /** How often all nodes were asked for a block. */
  asked(): number;
}

async function scene(count: number): Promise<Scene> {
  const first = await openNode();
  const others = Array.from({ length: count - 1 }, () => openNode({ chain: first.chain }));
  const nodes = [first, ...(await Promise.all(others))];
  const { chain } = openChain(nodes, { traces: "off" });
  const status = initialStatus();
  const warnings: string[] = [];
  const metrics = createMetrics("indexer");
  const log = { warn: (_: unknown, text: string) => warnings.push(text) } as never;
  const remember = async () => {};
  const agreement = createAgreement({
    chain,
    status,
    metrics,
    log,
    proofs: createProofs({ enabled: false, metrics, log, status, remember }),
  });
  first.chain.mine({ transactions: [{ logs }, { logs }] });
  return {
    nodes,
    agreement,
    status,
    warnings,
    asked: () => nodes.reduce((sum, node) => sum + node.count("eth_getBlockReceipts"), 0),
    async believeHead(retry = new Retry()) {
      const blockNumber = first.chain.height;
      const [node = ""] = chain.nodes;
      const { blocks } = await chain.fetchBlocks([blockNumber], { node });
      const [fetched] = blocks;
      if (!fetched) throw new Error("no block");
      const answer = { blockNumber, node, fetched, traced: false, proof: "whole" } as const;
      return agreement.confirm(answer, retry);
    },
  };
}

function failAll(nodes: readonly ScriptedNode[], method: string, effect: Effect): void {
  for (const node of nodes) node.fail({ method, effect });
}

describe("agreement", () => {
  it("asks nobody again about a block without contradictions", async () => {
    const { believeHead, asked, status } = await scene(2);
    await believeHead();
    const once = asked();
    await believeHead();
    expect([asked() - once, status.accepted]).toEqual([1, {}]);
  });

  it("believes what all nodes repeat, counts it, and says it once", async () => {
    const { nodes, believeHead, status, warnings } = await scene(2);
    failAll(nodes, "eth_getBlockByNumber", oddBloom);
    const believed = await believeHead();
    expect(believed.block.hash).toBe(nodes[0]?.chain.head.block.hash);
    await believeHead();
    expect(status.accepted).toEqual({ bloom: 2 });
    expect(warnings).toEqual([
      "inconsistent block accepted, since every node repeats it: " +
        "the blooms of the receipts are not the block's",
    ]);
  });

  it("asks a single node three times, and no more once it is a habit", async () => {
    const { nodes, believeHead, asked } = await scene(1);
    failAll(nodes, "eth_getBlockByNumber", oddBloom);
    const attempts: number[] = [];
    for (let count = 0; count < 4; count++) {
      const before = asked();
      await believeHead();
      attempts.push(asked() - before);
    }
    expect(attempts.slice(1)).toEqual([3, 3, 1]);
  });

  it("makes no habit of missing logs, and keeps the numbers of the others", async () => {
    const { nodes, believeHead, asked } = await scene(1);
    failAll(nodes, "eth_getBlockReceipts", holes);
    for (let count = 0; count < 4; count++) await believeHead();
    const before = asked();
    const { receipts } = await believeHead();
    expect(asked() - before).toBe(3);
    const indexes = receipts.flatMap((receipt) => receipt.logs.map((log) => log.logIndex));
    expect(indexes).toEqual(["0x1", "0x3"]);
  });

  it("numbers the logs of a chain that begins anew in each transaction", async () => {
    const { nodes, believeHead } = await scene(1);
    const anew = lie((receipts) =>
      (receipts as RawReceipt[]).map((receipt) => ({
        ...receipt,
        logs: receipt.logs.map((log, index) => ({ ...log, logIndex: `0x${index}` })),
      })),
    );
    failAll(nodes, "eth_getBlockReceipts", anew);
    const { receipts } = await believeHead();
    const indexes = receipts.flatMap((receipt) => receipt.logs.map((log) => log.logIndex));
    expect(indexes).toEqual(["0x0", "0x1", "0x2", "0x3"]);
  });

  it("takes the whole block of the last of several nodes that has it", async () => {
    const { nodes, believeHead, status } = await scene(3);
    failAll(nodes.slice(0, 2), "eth_getBlockReceipts", holes);
    const { receipts } = await believeHead();
    expect(receipts.flatMap((receipt) => receipt.logs)).toHaveLength(4);
    expect(status.accepted).toEqual({});
  });

  it.each<[string, (nodes: ScriptedNode[]) => void]>([
    [
      "another node contradicts itself in another way",
      ([, other]) => other?.fail({ method: "eth_getBlockReceipts", effect: holes }),
    ],
    ["nobody repeats it", (nodes) => failAll(nodes, "eth_getBlockReceipts", otherBlock)],
  ])("refuses the block when %s", async (_, spoil) => {
    const { nodes, believeHead } = await scene(2);
    nodes[0]?.fail({ method: "eth_getBlockByNumber", effect: oddBloom });
    const [first] = nodes;
    if (!first) throw new Error("no node");
    const outcome = believeHead();
    spoil(nodes);
    await expect(outcome).rejects.toMatchObject({ code: "inconsistent-block", retryable: true });
  });

  it("refuses the block when the node has another one by now", async () => {
    const { nodes, believeHead } = await scene(1);
    const when = ({ params }: IncomingCall) => params[0] !== "latest";
    const method = "eth_getBlockByNumber";
    nodes[0]?.fail({ method, effect: oddBloom, when, times: 1 });
    nodes[0]?.fail({ method, effect: anotherHash, when });
    await expect(believeHead()).rejects.toMatchObject({ code: "inconsistent-block" });
  });

  it("passes over a node that has another block", async () => {
    const { nodes, believeHead, status } = await scene(2);
    nodes[0]?.fail({ method: "eth_getBlockByNumber", effect: oddBloom });
    nodes[1]?.fail({ method: "eth_getBlockByNumber", effect: anotherHash });
    await believeHead();
    expect(status.accepted).toEqual({ bloom: 1 });
  });

  it("goes by those that answer when one does not", async () => {
    const { nodes, believeHead, status } = await scene(2);
    nodes[1]?.fail({ effect: { kind: "http", status: 503 } });
    nodes[0]?.fail({ method: "eth_getBlockByNumber", effect: oddBloom });
    await believeHead();
    expect(status.accepted).toEqual({ bloom: 1 });
  });

  it.each<[string, number, Effect]>([
    ["nothing more comes", 1, html()],
    ["each further answer is of no use", 3, otherBlock],
  ])("asks again within the budget of the work, when %s", async (_, count, effect) => {
    const { nodes, believeHead, asked } = await scene(count);
    await believeHead();
    const before = asked();
    const retry = new Retry();
    nodes[0]?.fail({ method: "eth_getBlockByNumber", effect: oddBloom, times: 1 });
    for (const node of nodes) {
      node.fail({ method: "eth_getBlockReceipts", effect, when: () => asked() > before });
    }
    await expect(believeHead(retry)).rejects.toMatchObject({ code: "inconsistent-block" });
    // The first answer, what each other node can do, and then as often as the budget has it.
    expect(asked() - before).toBe(1 + (count - 1) + 8);
    expect(await retry.again()).toBe(false);
  });
});
