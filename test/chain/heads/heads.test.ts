import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Chain } from "../../../src/chain/chain.ts";
import type { BlockHeader } from "../../../src/chain/types.ts";
import { html } from "../../support/scripted-node/faults.ts";
import { openChain, openNode } from "../../support/test-chain.ts";

/** Longer than any test: heads within it come by subscription. */
const NEVER_MS = 600_000;

/** Follows the heads; `next` gives the next announcement. */
function follow(chain: Chain, pollIntervalMs: number): { next(): Promise<BlockHeader> } {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const heads = chain.watchHeads({ pollIntervalMs, signal: stop.signal });
  return {
    async next() {
      const head = await heads.next(NEVER_MS);
      if (head === null) throw new Error("no more heads");
      return head;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !condition(); i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(condition()).toBe(true);
}

describe("heads by polling", () => {
  test("are announced once each, beginning with the present one", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    const heads = follow(chain, 10);
    expect(await heads.next()).toMatchObject({ number: 0 });
    node.chain.mine(1);
    const one = await heads.next();
    expect(one).toMatchObject({ number: 1, hash: node.chain.at(1)?.block.hash });
    const later = heads.next();
    setTimeout(() => node.chain.mine(3), 100);
    expect(await later).toMatchObject({ number: 4 });
  });

  test("are announced when they have another hash, are lower, or begin anew", async () => {
    const node = await openNode();
    node.chain.mine(5);
    const { chain } = openChain([node]);
    const heads = follow(chain, 10);
    expect(await heads.next()).toMatchObject({ number: 5 });
    const other = node.chain.reorg(1);
    expect(await heads.next()).toMatchObject({ number: 5, hash: other.block.hash });
    node.chain.revert(2);
    expect(await heads.next()).toMatchObject({ number: 3 });
    node.chain.reset();
    expect(await heads.next()).toMatchObject({ number: 0, hash: node.chain.head.block.hash });
  });

  test("go on after the node was away", async () => {
    const node = await openNode();
    const { chain } = openChain([node]);
    const heads = follow(chain, 10);
    await heads.next();
    node.fail({ effect: html(), times: 6 });
    node.chain.mine(1);
    expect(await heads.next()).toMatchObject({ number: 1 });
  });

  test("end with their signal, or that of the chain", async () => {
    const node = await openNode();
    const { chain, stop } = openChain([node]);
    const mine = new AbortController();
    for (const end of [mine, stop]) {
      const heads = chain.watchHeads({ pollIntervalMs: 10, signal: mine.signal });
      const others = chain.watchHeads({ pollIntervalMs: NEVER_MS });
      if (end === mine) expect(await heads.next(NEVER_MS)).toMatchObject({ number: 0 });
      expect(await others.next(NEVER_MS)).toMatchObject({ number: 0 });
      expect(await others.next(10)).toBeNull();
      const next = (end === mine ? heads : others).next(NEVER_MS);
      end.abort();
      expect(await next).toBeNull();
      // One request may be on its way already.
      const comes = async (): Promise<number> => {
        const before = node.requests.length;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return node.requests.length - before;
      };
      await expect.poll(comes).toBe(0);
    }
  });
});

describe("heads by subscription", () => {
  test("are announced without a poll", async () => {
    const node = await openNode();
    const { chain } = openChain([node], { webSocketUrl: node.webSocketUrl });
    const heads = follow(chain, NEVER_MS);
    expect(await heads.next()).toMatchObject({ number: 0 });
    const next = heads.next();
    await until(() => node.webSocket.subscriptions === 1);
    node.chain.mine(1);
    expect(await next).toMatchObject({ number: 1, parentHash: node.chain.at(0)?.block.hash });
    const reorganised = heads.next();
    const other = node.chain.reorg(1);
    expect(await reorganised).toMatchObject({ number: 1, hash: other.block.hash });
    expect(node.count("eth_getBlockByNumber")).toBe(1);
  });

  test("are the newest only for a consumer that is slow", async () => {
    const node = await openNode();
    const { chain } = openChain([node], { webSocketUrl: node.webSocketUrl });
    const heads = follow(chain, NEVER_MS);
    await heads.next();
    const next = heads.next();
    await until(() => node.webSocket.subscriptions === 1);
    node.chain.mine(1);
    await next;
    for (let i = 0; i < 5; i++) node.chain.mine(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await heads.next()).toMatchObject({ number: 6 });
  });

  test("are looked at when a development chain is reverted, of which nobody tells", async () => {
    const node = await openNode();
    const { chain } = openChain([node], { webSocketUrl: node.webSocketUrl });
    const heads = follow(chain, 50);
    await heads.next();
    node.chain.mine(2);
    expect(await heads.next()).toMatchObject({ number: 2 });
    node.chain.revert(1);
    expect(await heads.next()).toMatchObject({ number: 1 });
  });

  test("are no heads where their parts are not", async () => {
    const node = await openNode();
    const { chain } = openChain([node], { webSocketUrl: node.webSocketUrl });
    const heads = follow(chain, NEVER_MS);
    const { hash } = await heads.next();
    const next = heads.next();
    await until(() => node.webSocket.subscriptions === 1);
    for (const header of [
      null,
      { number: "0x1", hash, timestamp: "0x1" },
      { number: "0x20000000000000", hash, parentHash: hash, timestamp: "0x1" },
      { number: "0x1", hash, parentHash: hash, timestamp: "0x20000000000000" },
    ]) {
      node.webSocket.announce(header);
    }
    node.chain.mine(1);
    expect(await next).toMatchObject({ number: 1, hash: node.chain.head.block.hash });
  });

  test("are polled while the connection is down and come by it again afterwards", async () => {
    const node = await openNode();
    const { chain, log } = openChain([node], { webSocketUrl: node.webSocketUrl });
    const heads = follow(chain, 50);
    await heads.next();
    await until(() => node.webSocket.subscriptions === 1);
    node.webSocket.cut(true);
    node.chain.mine(1);
    expect(await heads.next()).toMatchObject({ number: 1 });
    node.webSocket.cut(false);
    await until(() => node.webSocket.subscriptions === 1);
    expect(log.filter((line) => line.includes("subscription to new heads lost"))).toHaveLength(1);
    await until(() => log.some((line) => line.includes("subscription to new heads is back")));
  });

  test("are subscribed to again when the connection is open but dead", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const node = await openNode();
    const { chain } = openChain([node], { webSocketUrl: node.webSocketUrl });
    const heads = follow(chain, NEVER_MS);
    await heads.next();
    const next = heads.next();
    await until(() => node.webSocket.subscriptions === 1);
    node.webSocket.mute();
    for (let i = 0; i < 3; i++) vi.advanceTimersByTime(30_000);
    await until(() => node.webSocket.subscriptions === 1);
    node.chain.mine(1);
    expect(await next).toMatchObject({ number: 1 });
  });

  test("are polled when nobody listens at the WebSocket URL", async () => {
    const node = await openNode();
    const { chain, log } = openChain([node], {
      webSocketUrl: "ws://user:pa55w0rd@127.0.0.1:1/s3cr3tkey",
    });
    const heads = follow(chain, 20);
    await heads.next();
    node.chain.mine(1);
    expect(await heads.next()).toMatchObject({ number: 1 });
    await until(() => log.length > 0);
    expect(log.join("\n")).not.toMatch(/s3cr3tkey|pa55w0rd/);
  });
});
