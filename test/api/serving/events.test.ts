import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import {
  addressAt,
  blockHash,
  blockTime,
  publish,
  setSyncState,
  wordAt,
} from "../../support/build.ts";
import {
  holdingsAfter,
  listen as listenAt,
  type StreamEvent,
} from "../../support/event-listener.ts";

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

const listen = (headers: Record<string, string> = {}, at = url) => listenAt(at, headers);

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

describe("of addresses", () => {
  let app: TestApp;
  let origin: string;
  const [payer, payee] = [addressAt(1), addressAt(2)];
  const follow = (address: string, headers = {}) =>
    listenAt(`${origin}/events?address=${address}`, headers);
  const at = (number: number, generation = 0) => head(number, generation, app.sql);
  beforeAll(async () => {
    app = await createTestApp({ requestTimeoutMs: 6_000 });
    origin = await app.app.listen({ host: "127.0.0.1", port: 0 });
    const pays = (blockNumber: number) => ({ blockNumber, fromAddress: payer, toAddress: payee });
    await publish(app.sql, {
      blocks: Array.from({ length: 1_200 }, (_, number) => ({ number })),
      transactions: [
        ...[...[2, 3, 5].map(pays), { blockNumber: 4, fromAddress: payer, toAddress: payer }],
        ...Array.from({ length: 501 }, (_, transactionIndex) => ({
          ...{ blockNumber: 6, transactionIndex, fromAddress: payer, toAddress: addressAt(3) },
        })),
        ...Array.from({ length: 120 }, (_, transactionIndex) => ({
          ...{ blockNumber: 7, transactionIndex, fromAddress: payer, toAddress: payee },
          input: `0x${"ab".repeat(20_000)}` as const,
        })),
      ],
      withdrawals: [{ blockNumber: 3, withdrawalIndex: 1, address: payee }],
    });
    await at(1);
  });
  afterAll(() => app.close());

  const rowsOf = (events: readonly StreamEvent[]) =>
    events.map(({ event, id, data }) => [event, data.kind, data.number, id?.split(";")[0]]);

  test("the rows of all blocks come before their head, with the ids of whole blocks", async () => {
    const listener = await follow(`${payee},${payer.toUpperCase().replace("X", "x")},${payee}`);
    await listener.until("id: 1;");
    await at(5);
    await listener.until("event: head\nid: 5;");
    expect(rowsOf(listener.events())).toEqual([
      ["head", undefined, 1, "1"],
      ...[
        ["activity", "txlist", 2, "1"],
        ["activity", "txlist", 2, "2"],
        ["activity", "txlist", 3, "2"],
        ["activity", "txlist", 3, "2"],
        ["activity", "txsBeaconWithdrawal", 3, "3"],
        ["activity", "txlist", 4, "4"],
        ["activity", "txlist", 5, "4"],
        ["activity", "txlist", 5, "5"],
      ],
      ["head", undefined, 5, "5"],
    ]);
    for (const { kind, address, number, hash, row } of holdingsAfter(listener.events())) {
      const query = `module=account&action=${kind}&address=${address}&startblock=${number}&endblock=${number}&cursor=start`;
      const { result } = (await app.app.inject(`/v2/api?${query}`)).json();
      expect(result).toContainEqual(row);
      expect(hash).toBe(blockHash(number));
    }
    await at(3, 1);
    await listener.until("event: head\nid: 3;");
    expect(listener.events().slice(-2)).toMatchObject([
      { event: "rollback", data: { number: 3, hash: blockHash(3), generation: 1 } },
      { event: "head", data: { number: 3 } },
    ]);
    expect(holdingsAfter(listener.events()).map(({ number }) => number)).toEqual([2, 2, 3, 3, 3]);
    listener.end();
    await at(1);
  });

  test("a listener that comes back hears all behind its id, or that it missed something", async () => {
    await at(5);
    const back = await follow(payee, { "last-event-id": `3;${blockHash(3)};0` });
    await back.until("event: head\nid: 5;");
    expect(rowsOf(back.events())).toEqual([
      ["activity", "txlist", 5, "5"],
      ["head", undefined, 5, "5"],
    ]);
    back.end();
    await at(1_199);
    const ids = [`3;${blockHash(3)};0`, "nonsense", `1190;${wordAt(7)};0`];
    for (const lost of await Promise.all(ids.map((id) => follow(payee, { "last-event-id": id })))) {
      await lost.until("event: head\nid: 1199;");
      expect(lost.events().map(({ event }) => event)).toEqual(["reset", "head"]);
      lost.end();
    }
    await at(1);
  });

  test("more than 500 rows of a list in a block are told to be there", async () => {
    await at(5);
    const listener = await follow(payer);
    await listener.until("id: 5;");
    await at(6);
    await listener.until("event: head\nid: 6;");
    expect(rowsOf(listener.events()).slice(1)).toEqual([
      ["more", "txlist", 6, "6"],
      ["head", undefined, 6, "6"],
    ]);
    listener.end();
    await at(1);
  });

  test("one that does not read is cut off with few rows unread, and others hear all", async () => {
    await at(6);
    const accepted = once(app.app.server, "connection");
    const client = net.connect(Number(new URL(origin).port), "127.0.0.1");
    client.write(`GET /events?address=${payee} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    const [socket] = (await accepted) as [net.Socket];
    await once(client, "data");
    socket.cork();
    const unread: number[] = [];
    const watching = setInterval(() => unread.push(socket.writableLength), 5);
    const other = await follow(payer);
    await other.until("id: 6;");
    await at(7);
    await other.until("event: head\nid: 7;");
    expect(holdingsAfter(other.events())).toHaveLength(120);
    if (!socket.destroyed) await once(socket, "close");
    clearInterval(watching);
    expect(Math.max(...unread)).toBeGreaterThan(500_000);
    expect(Math.max(...unread)).toBeLessThan(1_200_000);
    other.end();
    await at(1);
  });

  test("bad and too many addresses are refused", async () => {
    const ten = Array.from({ length: 10 }, (_, index) => addressAt(index));
    const refused = async (query: string) => {
      const response = await app.app.inject(`/events?${query}`);
      return [response.statusCode, response.headers["x-periscope-error"], response.json().message];
    };
    const malformed = [400, "invalid-parameter;name=address", "Invalid address format"];
    for (const query of ["address=", "address=,", "address=0x12", `address=${payer},x`]) {
      expect(await refused(query)).toEqual(malformed);
    }
    expect(await refused(`address=${[...ten, addressAt(11)]}`)).toEqual([
      ...[400, "invalid-parameter;name=address", "A maximum of 10 addresses is allowed"],
    ]);
  });
});

test("at most 1,000 addresses are listened to, and they are free again when a listener leaves", async () => {
  const { app, close } = await createTestApp({ sql: server.sql, trustedProxies: ["127.0.0.1"] });
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  const follow = (place: number, count: number) => {
    const addresses = Array.from({ length: count }, (_, index) => addressAt(10 * place + index));
    const client = { "x-forwarded-for": `10.0.${place % 3}.1` };
    return listenAt(`${origin}/events?address=${addresses}`, client);
  };
  const listeners = await Promise.all(Array.from({ length: 100 }, (_, place) => follow(place, 10)));
  expect(new Set(listeners.map(({ response }) => response.status))).toEqual(new Set([200]));
  const refused = await follow(100, 1);
  expect([refused.response.status, refused.response.headers.get("x-periscope-error")]).toEqual([
    ...[503, "busy"],
  ]);
  // Without addresses there is room.
  expect((await listenAt(`${origin}/events`)).response.status).toBe(200);
  listeners[0]?.end();
  const again = async () => (await follow(100, 10)).response.status;
  await expect.poll(again, { timeout: 20_000 }).toBe(200);
  await close();
});

describe("of two chains", () => {
  let north: TestApp;
  let south: TestApp;
  let isNorthServed = true;
  let isSouthFirst = false;
  let listenTo: (chain: string, query?: string) => ReturnType<typeof listen>;
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
    listenTo = (chain, query = "") => listen({}, `${origin}${chain}/events${query}`);
  });
  afterAll(async () => {
    await north.close();
    await south.close();
  });

  test("a path that names a chain has its rows, one that names none those of the first", async () => {
    const [payer, payee] = [addressAt(1), addressAt(2)];
    for (const { sql } of [north, south]) {
      const blocks = [{ number: 1 }];
      const sent = { blockNumber: 1, fromAddress: payer, toAddress: payee };
      const transactions = sql === south.sql ? [sent] : [];
      await publish(sql, { blocks, transactions, syncState: { headNumber: 0 } });
      await head(0, 0, sql);
    }
    const query = `?address=${payee}`;
    const listeners = await Promise.all(["/north", "", "/south"].map((c) => listenTo(c, query)));
    for (const listener of listeners) await listener.until("event: head");
    for (const { sql } of [north, south]) await head(1, 0, sql);
    const counts: number[] = [];
    for (const listener of listeners) {
      await listener.until("event: head\nid: 1;");
      counts.push(listener.events().filter(({ event }) => event === "activity").length);
      listener.end();
    }
    expect(counts).toEqual([0, 0, 1]);
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
