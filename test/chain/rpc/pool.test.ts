import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ScriptedChain } from "../../support/scripted-node/chain.ts";
import { html, methodMissing, rpcError } from "../../support/scripted-node/faults.ts";
import { startScriptedNode } from "../../support/scripted-node.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500 && !(await condition()); i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await condition()).toBe(true);
}

describe("several nodes", () => {
  test("are asked in order of preference", async () => {
    const [first, second] = [await openNode(), await openNode()];
    const { chain } = openChain([first, second]);
    await chain.request("eth_chainId", []);
    expect(chain.nodes).toEqual(["node 1", "node 2"]);
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  });

  test("stand in for one that is down, which is returned to when it is back", async () => {
    const shared = new ScriptedChain();
    const first = await startScriptedNode({ chain: shared });
    const second = await openNode({ chain: shared });
    const { chain, log } = openChain([first, second]);
    await chain.probe();
    await first.stop();
    second.requests.length = 0;
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
    expect(second.count("eth_chainId")).toBe(2);
    expect(chain.status()[0]).toMatchObject({ usable: false, failure: "unreachable" });

    const back = await startScriptedNode({ chain: shared, port: first.port });
    await until(async () => {
      await chain.request("eth_blockNumber", []);
      return back.count("eth_blockNumber") > 0;
    });
    expect(chain.status()[0]).toMatchObject({ usable: true, failure: null });
    expect(log.filter((line) => line.includes("node lost"))).toHaveLength(1);
    expect(log.filter((line) => line.includes("node is back"))).toHaveLength(1);
    await back.stop();
  });

  test("are lost by bad answers in a row for a second, not by three at once", async () => {
    let ms = 0;
    const wait = (more: number) => () => {
      ms += more;
      return true;
    };
    const clock = vi.spyOn(performance, "now").mockImplementation(() => ms);
    onTestFinished(() => clock.mockRestore());
    const node = await openNode();
    const { chain, log } = openChain([node]);
    for (const [after, times] of [
      [0, 3],
      [1_000, 2],
    ] as const) {
      node.fail({ effect: html(), times, when: wait(after) });
      await chain.request("eth_chainId", []);
      expect(log.join()).not.toContain("node lost");
    }
    node.fail({ effect: html(), times: 3, when: wait(500) });
    await chain.request("eth_chainId", []);
    expect(log.join()).toContain("node lost");
  });

  test("are asked anew what they can do when they come back", async () => {
    const first = await startScriptedNode();
    const { chain } = openChain([first]);
    await chain.probe();
    await first.stop();
    await chain.request("eth_chainId", []).catch(() => undefined);
    const without = ["debug_", "eth_getBlockReceipts"];
    const back = await startScriptedNode({ chain: first.chain, port: first.port, without });
    await chain.fetchBlocks([0]);
    await until(async () => {
      await chain.fetchBlocks([0]);
      return chain.capabilities().tracer === "trace_block";
    });
    expect(chain.capabilities().blockReceipts).toBe(false);
    await back.stop();
  });

  test("do not include one that comes back as another chain", async () => {
    const first = await startScriptedNode();
    const second = await openNode();
    const { chain } = openChain([first, second]);
    await chain.probe();
    await first.stop();
    await until(async () => {
      await chain.request("eth_chainId", []);
      return chain.status()[0]?.usable === false;
    });
    const other = await startScriptedNode({
      chain: new ScriptedChain({ chainId: 5 }),
      port: first.port,
    });
    await until(async () => {
      expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
      return chain.status()[0]?.failure === "other-chain";
    });
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
    await other.stop();
  });

  test("do not include one that serves another chain from the start", async () => {
    const first = await openNode();
    const second = await openNode({ chain: new ScriptedChain({ chainId: 5 }) });
    const { chain } = openChain([first, second]);
    expect(await chain.probe()).toMatchObject({ chainId: 31337, capabilities: { settled: true } });
    expect(chain.status()[1]).toMatchObject({ usable: false, failure: "other-chain" });
    await first.stop();
    await expect(chain.request("eth_chainId", [])).rejects.toMatchObject({ code: "unreachable" });
  });

  test("are passed over until the chain that is wanted is found", async () => {
    const first = await openNode();
    const second = await openNode({ chain: new ScriptedChain({ chainId: 5 }) });
    const { chain } = openChain([first, second]);
    expect(await chain.probe({ chainId: 5 })).toMatchObject({ chainId: 5 });
    expect(chain.status()[0]).toMatchObject({ usable: false, failure: "other-chain" });
    await expect(openChain([first]).chain.probe({ chainId: 5 })).rejects.toMatchObject({
      code: "other-chain",
      message: "node 1 serves chain 31337, not chain 5",
    });
  });

  test("are asked what the first one will never answer", async () => {
    const [first, second] = [await openNode(), await openNode()];
    const { chain } = openChain([first, second]);
    first.fail({ method: "eth_gasPrice", effect: methodMissing() });
    first.fail({ method: "eth_getBalance", effect: rpcError(-32000, "missing trie node") });
    expect(await chain.request("eth_gasPrice", [])).toBe("0x77359400");
    const balance = ["0x0000000000000000000000000000000000000001", "latest"];
    expect(await chain.request("eth_getBalance", balance)).toBe("0x0");
    expect(chain.status()[0]).toMatchObject({ usable: true });
  });

  test("are not asked what is wrong everywhere", async () => {
    const [first, second] = [await openNode(), await openNode()];
    const { chain } = openChain([first, second]);
    first.fail({ method: "eth_call", effect: rpcError(3, "execution reverted") });
    await expect(chain.request("eth_call", [{}])).rejects.toMatchObject({ code: "reverted" });
    expect(second.requests).toHaveLength(0);
  });

  test("can be asked one by one", async () => {
    const [first, second] = [await openNode(), await openNode()];
    second.chain.mine(3);
    const { chain } = openChain([first, second]);
    const [one = "", two = ""] = chain.nodes;
    expect(await chain.fetchHead({ node: two })).toMatchObject({ number: 3, node: two });
    expect(await chain.fetchHead({ avoid: one })).toMatchObject({ number: 3, node: two });
    expect(await chain.fetchHead({ avoid: two })).toMatchObject({ number: 0, node: one });
  });

  test("are only one when a single one is to be avoided", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    const [only = ""] = chain.nodes;
    expect(await chain.fetchHead({ avoid: only })).toMatchObject({ number: 0, node: only });
  });
});
