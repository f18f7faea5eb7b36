import { describe, expect, test, vi } from "vitest";
import { scriptedAddress } from "../../support/scripted-node/block.ts";
import {
  html,
  lie,
  methodMissing,
  nothing,
  rateLimited,
  rpcError,
} from "../../support/scripted-node/faults.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

const blockNumber = { method: "eth_blockNumber", params: [] };
const chainId = { method: "eth_chainId", params: [] };

function headerCalls(count: number) {
  return Array.from({ length: count }, (_, number) => ({
    method: "eth_getBlockByNumber",
    params: [`0x${number.toString(16)}`, false],
  }));
}

describe("one call", () => {
  test("gives the result, and null where the result is null", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
    expect(await chain.request("eth_getBlockByNumber", ["0x63", false])).toBeNull();
  });

  test("gives the result where the node writes beside it that there is no error", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    const body = '{"jsonrpc":"2.0","id":1,"error":null,"result":"0x1"}';
    node.fail({ effect: { kind: "http", status: 200, body } });
    expect(await chain.request("eth_chainId", [])).toBe("0x1");
  });

  test("throws what the node answered, with its code, and does not repeat a revert", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ method: "eth_call", effect: rpcError(3, "execution reverted", "0x1234") });
    await expect(chain.request("eth_call", [{}, "latest"])).rejects.toMatchObject({
      code: "reverted",
      retryable: false,
      answer: { code: 3, message: "execution reverted", data: "0x1234" },
    });
    expect(node.count("eth_call")).toBe(1);
  });

  test("names the status of a redirect, and does not follow it", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ effect: { kind: "http", status: 301, body: "" } });
    await expect(chain.request("eth_chainId", [])).rejects.toThrow("eth_chainId: HTTP 301");
  });

  test.each([
    ["an HTML page", html()],
    ["an HTML page with status 502", html(502)],
    ["half an answer", { kind: "truncate" as const }],
    ["a cut connection", { kind: "drop" as const }],
    ["status 500 without JSON", { kind: "http" as const, status: 500 }],
    ["an empty body", { kind: "http" as const, status: 200 }],
    ["JSON that is no JSON-RPC", { kind: "http" as const, status: 200, body: "[1]" }],
    ["null", { kind: "http" as const, status: 200, body: "null" }],
    ["another id", { kind: "http" as const, status: 200, body: '{"id":"x","result":"0x1"}' }],
    ["no result", { kind: "http" as const, status: 200, body: '{"jsonrpc":"2.0","id":1}' }],
    ["a passing internal error", rpcError(-32603, "Internal error")],
    ["a rate limit", rateLimited()],
  ])("is repeated after %s", async (_, effect) => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ effect, times: 1 });
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
    expect(node.requests).toHaveLength(2);
  });

  test("is asked again alone where the results of others are well-formed", async () => {
    const node = await openNode();
    node.chain.mine({});
    const { chain } = openChain([node]);
    const { hash } = node.chain.head.block;
    const accounts = Array.from({ length: 10 }, (_, index) => scriptedAddress(`account ${index}`));
    await chain.fetchCoinBalances(accounts, { number: 1, hash });
    const before = node.count("eth_getBalance");
    node.fail({ method: "eth_getBalance", effect: lie(() => "many"), times: 3 });
    expect(await chain.fetchCoinBalances(accounts, { number: 1, hash })).toHaveLength(10);
    expect(node.count("eth_getBalance") - before).toBe(13);
  });

  test("is given up after a bounded number of attempts", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ effect: html() });
    await expect(chain.request("eth_chainId", [])).rejects.toMatchObject({
      code: "bad-answer",
      retryable: true,
      message: expect.stringContaining("HTML"),
    });
    expect(node.requests).toHaveLength(8);
  });

  test("ends at the timeout when the node stalls, and succeeds with the next attempt", async () => {
    const node = await openNode();
    const { chain, requests } = openChain([node], { requestTimeoutMs: 100 });
    node.fail({ effect: { kind: "stall" }, times: 1 });
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
    expect(requests).toEqual(["eth_chainId timeout", "eth_chainId ok"]);
  });

  test("ends at once when its signal or that of the chain is aborted", async () => {
    const node = await openNode();
    const { chain, stop } = openChain([node]);
    node.fail({ effect: { kind: "stall" } });
    const mine = new AbortController();
    const calls = [
      chain.request("eth_chainId", [], { signal: mine.signal }),
      chain.request("eth_blockNumber", []),
    ];
    mine.abort();
    await expect(calls[0]).rejects.toMatchObject({ code: "aborted", retryable: false });
    stop.abort();
    await expect(calls[1]).rejects.toMatchObject({ code: "aborted" });
    await expect(chain.request("eth_chainId", [])).rejects.toMatchObject({ code: "aborted" });
  });

  test("is refused when its answer exceeds the limit", async () => {
    const node = await openNode();
    const { chain } = openChain([node], { maxResponseBytes: 500 });
    await expect(chain.request("eth_getBlockByNumber", ["0x0", true])).rejects.toMatchObject({
      code: "response-too-large",
      retryable: false,
    });
    node.limits.gzip = true;
    node.fail({ method: "eth_chainId", effect: lie(() => "0".repeat(100_000)) });
    await expect(chain.request("eth_chainId", [])).rejects.toMatchObject({
      code: "response-too-large",
    });
  });

  test("reads an answer that comes packed", async () => {
    const node = await openNode({ limits: { gzip: true } });
    const { chain } = openChain([node]);
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
  });
});

describe("a batch", () => {
  test("travels in one HTTP request and comes back in the order of the calls", async () => {
    const node = await openNode();
    node.chain.mine(2);
    const { chain } = openChain([node]);
    const outcomes = await chain.viem().transport.ask([blockNumber, chainId, ...headerCalls(5)]);
    expect(node.requests).toHaveLength(1);
    expect(outcomes.slice(0, 2)).toMatchObject([{ result: "0x2" }, { result: "0x7a69" }]);
    expect(outcomes.slice(2)).toMatchObject([
      { result: { number: "0x0" } },
      { result: { number: "0x1" } },
      { result: { number: "0x2" } },
      { result: null },
      { result: null },
    ]);
  });

  test("has an error for the call that failed and results for the others", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ method: "eth_blockNumber", effect: methodMissing() });
    const outcomes = await chain.viem().transport.ask([chainId, blockNumber]);
    expect(outcomes[0]).toMatchObject({ result: "0x7a69" });
    expect(outcomes[1]).toMatchObject({ error: { code: "method-missing" } });
  });

  test("asks another node for what one has no answer to, whatever came of the rest", async () => {
    const nodes = [await openNode(), await openNode()];
    const { chain } = openChain(nodes);
    const state = { method: "eth_getBalance", params: [`0x${"00".repeat(20)}`, "0x0"] };
    const reverting = { method: "eth_call", params: [{}, "latest"] };
    for (const node of nodes) {
      node.fail({ method: "eth_call", effect: rpcError(3, "execution reverted") });
    }
    nodes[0]?.fail({ method: "eth_getBalance", effect: rpcError(-32000, "missing trie node") });
    expect(await chain.viem().transport.ask([reverting, state, chainId])).toMatchObject([
      { error: { code: "reverted" } },
      { result: "0x0" },
      { result: "0x7a69" },
    ]);
    expect(await chain.viem().transport.ask([reverting, state])).toMatchObject([
      { error: { code: "reverted" } },
      { result: "0x0" },
    ]);
  });

  test("repeats only the calls that may succeed later", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ method: "eth_blockNumber", effect: rpcError(-32005, "limit exceeded"), times: 2 });
    expect(await chain.viem().transport.ask([chainId, blockNumber])).toMatchObject([
      { result: "0x7a69" },
      { result: "0x0" },
    ]);
    expect(node.count("eth_chainId")).toBe(1);
    expect(node.count("eth_blockNumber")).toBe(3);
  });

  test("gets through a node that answers a few calls each time", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    let [request, answered] = [0, 0];
    node.fail({
      effect: rpcError(-32005, "slow down"),
      when: () => {
        answered = node.requests.length === request ? answered + 1 : 0;
        request = node.requests.length;
        return answered >= 2;
      },
    });
    const outcomes = await chain.viem().transport.ask(headerCalls(12));
    expect(outcomes.filter((outcome) => "error" in outcome)).toEqual([]);
  });

  test.each(["omit", "double"] as const)(
    "is not believed when an answer comes %sd",
    async (kind) => {
      const node = await openNode();
      const { chain, requests } = openChain([node]);
      node.fail({ method: "eth_blockNumber", effect: { kind }, times: 1 });
      expect(await chain.viem().transport.ask([chainId, blockNumber])).toMatchObject([
        { result: "0x7a69" },
        { result: "0x0" },
      ]);
      expect(requests).toEqual(["batch bad-answer", "batch ok"]);
    },
  );

  test.each(["http", "geth", "reth"] as const)(
    "is cut until the node takes it, refused in the way of %s",
    async (refusal) => {
      const node = await openNode({ limits: { batch: 7, refusal } });
      const { chain } = openChain([node]);
      const outcomes = await chain.viem().transport.ask(headerCalls(100));
      expect(outcomes.filter((outcome) => "error" in outcome)).toEqual([]);
      expect(chain.status()[0]?.batchSize).toBeLessThan(15);
    },
  );

  test("is asked again in smaller ones for the part whose answers were too large", async () => {
    const node = await openNode({ limits: { responseBytes: 5000 } });
    node.chain.mine(40);
    const { chain } = openChain([node]);
    const outcomes = await chain.viem().transport.ask(headerCalls(40));
    expect(outcomes.filter((outcome) => "error" in outcome)).toEqual([]);
  });

  test("is cut when the whole answer exceeds our own limit", async () => {
    const node = await openNode();
    node.chain.mine(40);
    const { chain } = openChain([node], { maxResponseBytes: 10_000 });
    const outcomes = await chain.viem().transport.ask(headerCalls(40));
    expect(outcomes.filter((outcome) => "error" in outcome)).toEqual([]);
  });
});

describe("the pace", () => {
  test("slows down on 429 and timeouts, and comes back with success", async () => {
    const node = await openNode();
    const { chain } = openChain([node], { requestTimeoutMs: 200, batchSize: 4, concurrency: 8 });
    node.fail({ effect: rateLimited(), times: 1 });
    await chain.viem().transport.ask([chainId]);
    expect(chain.status()[0]).toMatchObject({ concurrency: 4, batchSize: 4 });
    node.fail({ effect: { kind: "stall" }, times: 1 });
    await chain.viem().transport.ask([chainId]);
    expect(chain.status()[0]).toMatchObject({ concurrency: 2, batchSize: 2 });
    for (let i = 0; i < 60; i++)
      await chain.viem().transport.ask([chainId, blockNumber, chainId, blockNumber]);
    expect(chain.status()[0]).toMatchObject({ concurrency: 8, batchSize: 4 });
  });

  test("sends nothing before the time that Retry-After names", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    const before = performance.now();
    node.fail({ effect: rateLimited(1), times: 1 });
    await chain.request("eth_chainId", []);
    expect(performance.now() - before).toBeGreaterThanOrEqual(1000);
    expect(node.requests).toHaveLength(2);
  });

  test("never has more requests in flight than allowed", async () => {
    const node = await openNode();
    let inFlight = 0;
    let most = 0;
    const { chain } = openChain([node], {
      concurrency: 3,
      batchSize: 1,
      onRequest: () => inFlight--,
    });
    node.fail({
      effect: lie((result) => result),
      when: () => {
        inFlight++;
        most = Math.max(most, inFlight);
        return true;
      },
    });
    await Promise.all([
      chain.viem().transport.ask(headerCalls(30)),
      chain.viem().transport.ask(headerCalls(30)),
    ]);
    expect(most).toBeLessThanOrEqual(3);
    expect(most).toBeGreaterThan(1);
  });
});

describe("forwarding", () => {
  test("passes results and errors on, of their data only the bytes of a revert", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    const error = { code: -32000, message: "insufficient funds" };
    node.fail({ method: "eth_estimateGas", effect: { kind: "error", ...error, data: { a: [1] } } });
    const reverted = { code: 3, message: "execution reverted", data: "0x08c379a0" };
    node.fail({ method: "eth_call", effect: { kind: "error", ...reverted } });
    const answers = await chain.forward([
      { method: "eth_getCode", params: ["0x0000000000000000000000000000000000000001", "latest"] },
      { method: "eth_estimateGas", params: [{}] },
      { method: "eth_call", params: [{}] },
    ]);
    expect(answers).toEqual([{ result: "0x" }, { error }, { error: reverted }]);
  });

  test("says so when no node can be reached", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    await node.stop();
    expect(await chain.forward([chainId])).toEqual([{ unanswered: "unreachable" }]);
  });

  test("does not send a transaction to a second node when the first may have got it", async () => {
    const [first, second] = [await openNode(), await openNode()];
    const { chain } = openChain([first, second]);
    first.fail({ effect: { kind: "drop" } });
    const send = { method: "eth_sendRawTransaction", params: ["0x01"] };
    expect(await chain.forward([send, chainId])).toEqual([
      { unanswered: "unreachable" },
      { result: "0x7a69" },
    ]);
    expect(second.count("eth_sendRawTransaction")).toBe(0);
  });

  test("sends a transaction to the second node when the first cannot be reached", async () => {
    const [first, second] = [await openNode(), await openNode()];
    const { chain } = openChain([first, second]);
    await first.stop();
    const send = { method: "eth_sendRawTransaction", params: ["0x01"] };
    expect(await chain.forward([send])).toMatchObject([{ result: expect.any(String) }]);
  });
});

describe("a question of a caller", () => {
  const call = { method: "eth_call", params: [{}, "latest"] };
  const caller = "somebody";

  test.each([
    ["takes too long", { kind: "stall" as const }, 1000, "late"],
    ["has the node answer what is no answer", html(), 5000, "unreachable"],
    ["has the node answer too much", rpcError(-32_000, "response is too large"), 5000, undefined],
  ])("that %s is not held against the node", async (_, effect, requestTimeoutMs, unanswered) => {
    const node = await openNode();
    const { chain, log } = openChain([node], { requestTimeoutMs });
    const before = chain.status();
    node.fail({ method: "eth_call", effect });
    for (let round = 0; round < 4; round++) {
      const [answer] = await chain.forward([call], { caller });
      expect(answer).toEqual(unanswered ? { unanswered } : { error: expect.anything() });
    }
    expect(chain.status()).toEqual(before);
    expect(log.join()).not.toContain("node lost");
    node.heal();
  });

  test.each([
    ["hangs", { kind: "stall" as const }, 100],
    ["hangs longer than a caller waits", { kind: "stall" as const }, 400],
    ["answers nothing but pages", html(), 5000],
    ["refuses its key", { kind: "http" as const, status: 401 }, 5000],
  ])("has a node that %s looked at, and left for another", async (_, effect, requestTimeoutMs) => {
    const [first, second] = [await openNode(), await openNode()];
    const { chain } = openChain([first, second], { requestTimeoutMs });
    first.fail({ effect });
    await vi.waitUntil(async () => {
      const signal = AbortSignal.timeout(200);
      const [answer] = await chain.forward([call], { caller, signal, node: "node 1" });
      expect(answer).toHaveProperty("unanswered");
      return !chain.status()[0]?.usable;
    }, 10_000);
    expect(await chain.forward([chainId], { caller })).toEqual([{ result: "0x7a69" }]);
    expect(second.count("eth_chainId")).toBe(1);
    first.heal();
  });

  test("leaves places to others, and is given up with the caller", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.fail({ method: "eth_call", effect: { kind: "stall" } });
    const gone = new AbortController();
    const options = { caller, signal: gone.signal };
    const calls = Array.from({ length: 50 }, () => chain.forward([call], options));
    expect(await calls.at(-1)).toEqual([{ unanswered: "busy" }]);
    expect(await chain.request("eth_chainId", [])).toBe("0x7a69");
    expect(await chain.forward([chainId], { caller: "another" })).toEqual([{ result: "0x7a69" }]);
    expect(node.count("eth_call")).toBe(1);
    gone.abort();
    expect((await Promise.all(calls)).slice(0, 33)).toEqual(
      Array(33).fill([{ unanswered: "late" }]),
    );
    expect(await chain.forward([chainId], { caller })).toEqual([{ result: "0x7a69" }]);
    expect(node.count("eth_call")).toBe(1);
  });

  test("of the state is not asked again when the queue is full", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    node.chain.mine();
    const head = await chain.fetchHead();
    node.fail({ method: "eth_call", effect: { kind: "stall" } });
    const gone = new AbortController();
    const options = { caller, signal: gone.signal };
    const ask = { to: "0x0000000000000000000000000000000000000001", data: "0x" } as const;
    const calls = Array.from({ length: 34 }, () => chain.fetchCalls([ask], head, options));
    const all = Promise.allSettled(calls);
    await expect(calls.at(-1)).rejects.toMatchObject({ code: "busy" });
    gone.abort();
    expect((await all)[0]).toMatchObject({ status: "rejected", reason: { code: "aborted" } });
  });
});

describe("secrets of a URL", () => {
  test("appear in no error, log line, status or name", async () => {
    const node = await openNode();
    const url = node.url.replace("http://", "http://user:pa55w0rd@");
    const { chain, log } = openChain([`${url}/v2/s3cr3tkey?token=t0k3nt0k3n`], {
      requestTimeoutMs: 100,
    });
    const texts: string[] = [];
    const collect = async (effect: Parameters<typeof node.fail>[0]["effect"]) => {
      node.fail({ effect });
      const thrown = await chain.request("eth_chainId", []).catch((error: Error) => error);
      texts.push(String(thrown), String((thrown as Error).stack), JSON.stringify(thrown));
      texts.push(JSON.stringify(await chain.forward([chainId])));
      node.heal();
    };
    await collect(rpcError(-32000, "key s3cr3tkey of user:pa55w0rd with t0k3nt0k3n is not known"));
    await collect(html(500));
    await collect({ kind: "stall" });
    await node.stop();
    await collect(nothing());
    const everything = [...texts, ...log, ...chain.nodes, JSON.stringify(chain.status())].join(
      "\n",
    );
    expect(everything).not.toMatch(/s3cr3tkey|pa55w0rd|t0k3n/);
    expect(everything).toContain(`127.0.0.1:${node.port}`);
  });

  test("do not appear when the URL is none at all", () => {
    expect(() => openChain(["ftp://user:pa55w0rd@host"])).toThrow(/must begin with http/);
    expect(() => openChain(["user:pa55w0rd@"])).not.toThrow(/pa55w0rd/);
  });
});
