import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { blockHash, blockTime, publish, setSyncState } from "../../support/build.ts";

let server: TestApp;
let url: string;
beforeAll(async () => {
  server = await createTestApp({ requestTimeoutMs: 1_500 });
  url = `${await server.app.listen({ host: "127.0.0.1", port: 0 })}/events`;
  await publish(server.sql, {
    blocks: Array.from({ length: 6 }, (_, number) => ({ number })),
    syncState: { headNumber: 2, headHash: blockHash(2), headTimestamp: blockTime(2) },
  });
});
afterAll(() => server.close());

/** A listener that reads on until what it has read holds a text. */
async function listen(headers: Record<string, string> = {}, at = url) {
  const controller = new AbortController();
  const response = await fetch(at, { headers, signal: controller.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    response,
    until: async (wanted: string) => {
      while (!text.includes(wanted)) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`ended after: ${text}`);
        text += value;
      }
      return text;
    },
    end: () => controller.abort(),
  };
}

const head = (number: number, generation = 0, sql = server.sql) =>
  setSyncState(sql, {
    headNumber: number,
    headHash: blockHash(number),
    headTimestamp: blockTime(number),
    generation,
  });

test("a listener gets the head at once, every other one, and those after a reorganisation", async () => {
  const listener = await listen();
  expect(listener.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(listener.response.headers.get("access-control-allow-origin")).toBe("*");
  const first = await listener.until(`"number":2`);
  expect(first).toContain(`event: head\nid: 2;${blockHash(2)};0\n`);
  expect(first).toContain(
    `data: {"number":2,"hash":"${blockHash(2)}","timestamp":${blockTime(2)},"generation":0}\n\n`,
  );
  await head(3);
  await listener.until(`id: 3;${blockHash(3)};0`);
  await head(2, 1);
  await listener.until(`id: 2;${blockHash(2)};1`);
  await head(2, 0);
  listener.end();
});

test("a listener that knows the head is not told it again, but the next one", async () => {
  const listener = await listen({ "last-event-id": `2;${blockHash(2)};0` });
  await listener.until(":\n\n");
  await head(4);
  expect(await listener.until(`id: 4`)).not.toContain("id: 2;");
  await head(2);
  listener.end();
});

test("a listener hears something before its connection would be closed for silence", async () => {
  const listener = await listen();
  await listener.until(":\n\n:\n\n:\n\n:\n\n");
  listener.end();
});

test("the listeners of one client are bounded, and a place is free again when one leaves", async () => {
  const listeners = await Promise.all(Array.from({ length: 50 }, () => listen()));
  const refused = await fetch(url);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(((await refused.json()) as { message: string }).message).toContain("Too many listeners");
  listeners.pop()?.end();
  await expect
    .poll(
      async () => {
        const again = await listen();
        again.end();
        return again.response.status;
      },
      { timeout: 20_000 },
    )
    .toBe(200);
  for (const listener of listeners) listener.end();
});

test("HEAD has the headers alone, and takes no place", async () => {
  for (let asked = 0; asked < 60; asked++) {
    const response = await fetch(url, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  }
});

test("a listener that does not read is cut off before much waits for it, and the others hear on", async () => {
  // It closes no connection for silence meanwhile.
  const { app, close } = await createTestApp({ sql: server.sql });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const accepted = once(app.server, "connection");
  const client = net.connect(Number(new URL(origin).port), "127.0.0.1");
  client.write("GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const closed = once(client, "close");
  const [socket] = (await accepted) as [net.Socket];
  // It passes nothing on, as when the kernel has no room for more.
  socket.cork();
  const unread: number[] = [];
  for (let generation = 1; !socket.destroyed && generation < 500; generation++) {
    await head(2, generation);
    const other = await listen({}, `${origin}/events`);
    await other.until(`id: 2;${blockHash(2)};${generation}\n`);
    other.end();
    unread.push(socket.writableLength);
  }
  expect(socket.destroyed).toBe(true);
  expect(Math.max(...unread)).toBeGreaterThan(10_000);
  expect(Math.max(...unread)).toBeLessThan(20_000);
  await closed;
  await head(2);
  await close();
});

test("listeners do not keep the server from closing", async () => {
  const other = await createTestApp();
  const origin = await other.app.listen({ host: "127.0.0.1", port: 0 });
  const response = await fetch(`${origin}/events`);
  await other.close();
  await expect(response.text()).resolves.toContain("retry: 5000");
});

describe("of two chains", () => {
  let north: TestApp;
  let south: TestApp;
  let isNorthServed = true;
  let isSouthFirst = false;
  let listenTo: (chain: string) => ReturnType<typeof listen>;
  beforeAll(async () => {
    south = await createTestApp({ networkName: "South" });
    north = await createTestApp({
      networkName: "North",
      requestTimeoutMs: 3_000,
      chains: (own) => {
        if (!isNorthServed) return [south.served];
        return isSouthFirst ? [south.served, own] : [own, south.served];
      },
    });
    for (const { sql } of [north, south]) await publish(sql, { blocks: [{ number: 0 }] });
    const origin = await north.app.listen({ host: "127.0.0.1", port: 0 });
    listenTo = (chain) => listen({}, `${origin}${chain}/events`);
  });
  afterAll(async () => {
    await north.close();
    await south.close();
  });

  test("one whose database is busy delays no event of the other", async () => {
    const listeners = [await listenTo("/north"), await listenTo("/south")] as const;
    for (const listener of listeners) await listener.until("event: head");
    await north.sql.begin(async (blocker) => {
      await blocker`LOCK TABLE sync_state IN ACCESS EXCLUSIVE MODE`;
      await listeners[0].until(":\n\n");
      await head(7, 0, south.sql);
      await listeners[1].until("id: 7;");
    });
    for (const listener of listeners) listener.end();
  });

  test("a stream holds no chain that leaves, neither its own nor another", async () => {
    const listeners = [await listenTo("/south"), await listenTo("")];
    for (const listener of listeners) await listener.until("event: head");
    await Promise.all([north.served.requests.over(), south.served.requests.over()]);
    for (const listener of listeners) listener.end();
  });

  test("a stream whose URL names no chain ends when another chain is the first one", async () => {
    const [unnamed, named] = [await listenTo(""), await listenTo("/north")];
    for (const listener of [unnamed, named]) await listener.until("event: head");
    isSouthFirst = true;
    await expect(unnamed.until("nothing")).rejects.toThrow("ended after");
    await head(9, 0, north.sql);
    await named.until("id: 9;");
    named.end();
    isSouthFirst = false;
  });

  test("the streams of one that is no longer served end, and those of the other go on", async () => {
    const [left, kept] = [await listenTo("/north"), await listenTo("/south")];
    await left.until("event: head");
    isNorthServed = false;
    await expect(left.until("nothing")).rejects.toThrow("ended after");
    await head(8, 0, south.sql);
    await kept.until("id: 8;");
    kept.end();
  });
});
