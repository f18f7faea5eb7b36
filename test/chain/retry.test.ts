import { expect, onTestFinished, test, vi } from "vitest";
import { Retry } from "../../src/chain/retry.ts";
import { html, type IncomingCall, lie, rpcError } from "../support/scripted-node/faults.ts";
import { openChain, openNode } from "../support/test-chain.ts";

/** See docs/architecture.md, "When a node is asked again". */
const ASKINGS = 8;

test("a part of a task that brings nothing is given up after the budget, and the other parts are not asked again", async () => {
  const node = await openNode();
  node.chain.mine({ transactions: [{}] });
  const { chain } = openChain([node]);
  await chain.probe();
  node.requests.length = 0;
  node.fail({ method: "debug_traceBlockByHash", effect: html() });
  await expect(chain.fetchBlocks([1])).rejects.toMatchObject({ code: "bad-answer" });
  expect(node.count("debug_traceBlockByHash")).toBe(ASKINGS);
  expect(node.count("eth_getBlockByNumber")).toBe(1);
  expect(node.count("eth_getBlockReceipts")).toBe(1);
});

test("all tasks of one piece of work share its budget", async () => {
  const node = await openNode();
  const { chain } = openChain([node]);
  const retry = new Retry();
  node.fail({ effect: html() });
  await expect(chain.request("eth_chainId", [], { retry })).rejects.toThrow();
  await expect(chain.request("eth_chainId", [], { retry })).rejects.toThrow();
  expect(node.requests).toHaveLength(ASKINGS + 1);
  retry.progressed();
  node.heal();
  node.fail({ effect: html(), times: ASKINGS - 1 });
  expect(await chain.request("eth_chainId", [], { retry })).toBe("0x7a69");
});

test("an attempt that brings a part costs nothing of the budget", async () => {
  const node = await openNode();
  node.chain.mine(40);
  const { chain } = openChain([node]);
  const calls = Array.from({ length: 40 }, (_, number) => ({
    method: "eth_getBlockByNumber",
    params: [`0x${number.toString(16)}`, false],
  }));
  // Only the first of all calls is answered.
  node.fail({
    effect: rpcError(-32_000, "no time"),
    when: (call: IncomingCall) => call !== node.requests.at(-1)?.[0] && isLater(call),
  });
  const seen = new Set<unknown>();
  function isLater({ params }: IncomingCall): boolean {
    if (seen.size > node.requests.length) return true;
    seen.add(params[0]);
    return false;
  }
  const outcomes = await chain.viem().transport.ask(calls);
  expect(outcomes.filter((outcome) => "error" in outcome)).toEqual([]);
  expect(node.requests.length).toBeGreaterThan(ASKINGS);
});

test("what is good before a block that fails is given first", async () => {
  const node = await openNode();
  node.chain.mine(10);
  const { chain } = openChain([node]);
  await chain.probe();
  const isSeventh = ({ params }: IncomingCall) => params[0] === "0x7";
  node.fail({ method: "eth_getBlockReceipts", when: isSeventh, effect: lie(() => "nonsense") });
  const { blocks } = await chain.fetchBlocks([4, 5, 6, 7, 8, 9]);
  expect(blocks.map((one) => one?.block.number)).toEqual(["0x4", "0x5", "0x6"]);
  await expect(chain.fetchBlocks([7, 8])).rejects.toMatchObject({ code: "bad-answer" });
});

test("one refusal of what the node has given is no reason to do without it", async () => {
  const node = await openNode();
  node.chain.mine({ transactions: [{}] }, { transactions: [{}] });
  const { chain, log } = openChain([node]);
  await chain.fetchBlocks([1]);
  for (const method of ["eth_getBlockReceipts", "debug_traceBlockByHash"]) {
    node.fail({ method, effect: rpcError(-32_601, "the method does not exist"), times: 1 });
    const { blocks } = await chain.fetchBlocks([2]);
    expect(blocks[0]).toMatchObject({ receipts: [{}], traces: [{}] });
  }
  expect(chain.capabilities()).toMatchObject({
    blockReceipts: true,
    tracer: "debug_traceBlockByHash",
  });
  expect(log.filter((line) => line.includes("traced"))).toHaveLength(1);
});

/** Lets the clock of the budgets run on; gives the way to set it forward. */
function holdClock(): (ms: number) => void {
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + aheadMs);
  onTestFinished(() => clock.mockRestore());
  return (ms) => {
    aheadMs += ms;
  };
}

test("nothing is asked again later than 45 s after the first attempt, however much it brought", async () => {
  const setForward = holdClock();
  const retry = new Retry();
  setForward(44_000);
  expect(await retry.again("part")).toBe(true);
  expect(await retry.again()).toBe(true);
  setForward(1_001);
  expect(await retry.again("part")).toBe(false);
  expect(await retry.again()).toBe(false);
  retry.progressed();
  expect(await retry.again()).toBe(true);
});

test("a node whose answers take 10 s each is not asked a sixth time, though each brings a part", async () => {
  const setForward = holdClock();
  const node = await openNode();
  const { chain } = openChain([node], { onRequest: () => setForward(10_000) });
  const calls = Array.from({ length: 40 }, (_, number) => ({
    method: "eth_getBlockByNumber",
    params: [`0x${number.toString(16)}`, false],
  }));
  // Only the first call of each request is answered.
  const isFirst = new Set<number>();
  node.fail({
    effect: rpcError(-32_000, "no time"),
    when: () => {
      const request = node.requests.length;
      if (isFirst.has(request)) return true;
      isFirst.add(request);
      return false;
    },
  });
  const outcomes = await chain.viem().transport.ask(calls);
  expect(node.requests).toHaveLength(5);
  expect(outcomes.filter((outcome) => !("error" in outcome))).toHaveLength(5);
});
