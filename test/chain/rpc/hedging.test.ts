import { describe, expect, test } from "vitest";
import type { ChainOptions } from "../../../src/chain/options.ts";
import { Hedging } from "../../../src/chain/rpc/hedging.ts";
import { html, rateLimited } from "../../support/scripted-node/faults.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

const SAVED = 16;

describe("what is late", () => {
  test("is guessed before three answers", () => {
    const hedging = new Hedging();
    for (let answers = 0; answers < 3; answers++) {
      expect(hedging.lateAfter("kind")).toBe(200);
      hedging.note("kind", 10);
    }
    expect(hedging.lateAfter("kind")).toBe(50);
    expect(hedging.lateAfter("other kind")).toBe(200);
  });

  test("follows most of the answers, not the few that are late", () => {
    const hedging = new Hedging();
    for (let answers = 0; answers < 100; answers++) hedging.note("kind", answers % 10 ? 10 : 1000);
    expect(hedging.lateAfter("kind")).toBe(50);
    for (let answers = 0; answers < 32; answers++) hedging.note("kind", 100);
    expect(hedging.lateAfter("kind")).toBe(230);
  });

  test("is asked again for at most one question in four, however many are late", () => {
    const hedging = new Hedging();
    let taken = 0;
    for (let questions = 0; questions < 1000; questions++) {
      if (hedging.take()) taken++;
      hedging.note("kind", 10);
    }
    expect(taken).toBeLessThanOrEqual(1000 / 4 + SAVED);
    expect(taken).toBeGreaterThan(200);
  });
});

describe("a read that the head waits for", () => {
  async function open(options: Partial<ChainOptions> = {}) {
    const node = await openNode();
    const opened = openChain([node], { requestTimeoutMs: 2000, ...options });
    for (let i = 0; i < 10; i++) await opened.chain.fetchHead({ headWaits: true });
    // Behind it nothing is on its way that a slow machine made be asked twice.
    await opened.chain.request("eth_chainId", []);
    node.requests.length = 0;
    opened.requests.length = 0;
    return { node, ...opened };
  }

  test("is sent a second time when the answer does not come", async () => {
    const { node, chain, requests } = await open();
    node.fail({ effect: { kind: "stall" }, times: 1 });
    expect(await chain.fetchHead({ headWaits: true })).toMatchObject({ number: 0 });
    expect(node.requests).toHaveLength(2);
    expect(requests).toEqual(["eth_getBlockByNumber ok"]);
  });

  test("is sent again while its copies are late or fail, each time after twice as long", async () => {
    const { node, chain, requests } = await open();
    node.fail({ effect: { kind: "stall" }, times: 2 });
    node.fail({ effect: html(), times: 1 });
    expect(await chain.fetchHead({ headWaits: true })).toMatchObject({ number: 0 });
    expect(node.requests).toHaveLength(4);
    expect(requests).toEqual(["eth_getBlockByNumber ok"]);
  });

  test("is sent no more often than the credit allows", async () => {
    let askedAtTimeout = 0;
    const { node, chain } = await open({
      onRequest: (_, outcome) => {
        if (outcome !== "timeout") return;
        askedAtTimeout ||= node.requests.length;
        node.heal();
      },
    });
    node.fail({ effect: { kind: "stall" } });
    const asked = Array.from({ length: 40 }, () => chain.fetchHead({ headWaits: true }));
    for (const one of await Promise.all(asked)) expect(one).toMatchObject({ number: 0 });
    expect(askedAtTimeout).toBeLessThanOrEqual(40 + SAVED);
  });

  test("is sent a second time within what the node's refusals left of the requests in flight", async () => {
    const { node, chain, requests } = await open();
    node.fail({ effect: rateLimited(), times: 1 });
    await chain.fetchHead({ headWaits: true });
    node.requests.length = 0;
    node.fail({ effect: { kind: "stall" }, times: 1 });
    await chain.fetchHead({ headWaits: true });
    expect(requests.at(-1)).toBe("eth_getBlockByNumber ok");
    expect(node.requests).toHaveLength(2);
  });

  test("leaves its place when it is late, where no more requests may be in flight", async () => {
    const { node, chain, requests } = await open({ concurrency: 1 });
    node.fail({ effect: { kind: "stall" }, times: 1 });
    await chain.fetchHead({ headWaits: true });
    expect(requests).toEqual(["eth_getBlockByNumber ok"]);
    expect(node.requests).toHaveLength(2);
  });

  test("is sent again once if it is a trace, and only when its usual time is known", async () => {
    const { node, chain } = await open();
    const trace = async () => {
      node.requests.length = 0;
      const params = ["0x0", { tracer: "callTracer" }];
      await chain.request("debug_traceBlockByNumber", params, { headWaits: true });
      return node.requests.length;
    };
    const late = { effect: { kind: "late", ms: 1_000 }, times: 1 } as const;
    node.fail(late);
    expect(await trace()).toBe(1);
    for (let answers = 0; answers < 5; answers++) await trace();
    node.fail({ ...late, times: 2 });
    expect(await trace()).toBe(2);
  });

  test("ends at once with the signal, though it was sent twice", async () => {
    const { node, chain } = await open({ requestTimeoutMs: 60_000 });
    node.fail({ effect: { kind: "stall" } });
    const stop = new AbortController();
    const asked = chain.fetchHead({ headWaits: true, signal: stop.signal });
    await expect.poll(() => node.requests.length, { timeout: 30_000 }).toBeGreaterThan(1);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: "aborted" });
  });
});

test("a caller's read is sent once", async () => {
  const node = await openNode();
  const { chain, requests } = openChain([node], { requestTimeoutMs: 1000 });
  for (let i = 0; i < 10; i++) await chain.fetchHead({ caller: "somebody" });
  node.fail({ effect: { kind: "stall" }, times: 1 });
  await chain.fetchHead({ caller: "somebody" });
  expect(requests).toContain("eth_getBlockByNumber timeout");
});
