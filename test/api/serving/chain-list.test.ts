import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { publish } from "../../support/build.ts";
import { startScriptedNode } from "../../support/scripted-node.ts";

let server: TestApp;
let url: URL;
beforeAll(async () => {
  server = await createTestApp({ networkName: "Pearl" });
  await publish(server.sql, { blocks: [{ number: 0 }] });
  url = new URL(await server.app.listen({ host: "127.0.0.1", port: 0 }));
});
afterAll(() => server.close());

const ask = async (app = server.app) =>
  (await app.inject({ url: "/v2/chainlist/", headers: { host: "explorer.test:81" } })).json();

test("lists the one chain, at the place where it was asked for", async () => {
  expect(await ask()).toEqual({
    comments: "status: 0 offline, 1 ok, 2 degraded",
    totalcount: 1,
    result: [
      {
        chainname: "Pearl",
        chainid: "31337",
        blockexplorer: "http://explorer.test:81/",
        apiurl: "http://explorer.test:81/v2/api?chainid=31337",
        status: expect.any(Number),
        comment: expect.any(String),
      },
    ],
  });
});

test("a public URL of the operator's comes before the host of the request", async () => {
  const app = await createTestApp({ publicUrl: "https://explorer.example/pearl" });
  expect((await ask(app.app)).result[0]).toMatchObject({
    blockexplorer: "https://explorer.example/pearl/",
    apiurl: "https://explorer.example/pearl/v2/api?chainid=31337",
  });
  const { servers } = (await app.app.inject("/openapi.json")).json();
  expect(servers).toEqual([{ url: "https://explorer.example/pearl", description: "This server" }]);
  await app.close();
});

test("HEAD is answered, and a request without a host is told the address that it came to", async () => {
  expect(
    (await server.app.inject({ method: "HEAD", url: "/v2/chainlist?chainid=5" })).statusCode,
  ).toBe(200);
  const socket = connect(Number(url.port), url.hostname);
  socket.write("GET /v2/chainlist HTTP/1.0\r\n\r\n");
  expect(await text(socket)).toContain(`"blockexplorer":"http://127.0.0.1:${url.port}/"`);
});

test("the host of a request's target comes before its header (RFC 9112, 3.2.2)", async () => {
  const socket = connect(Number(url.port), url.hostname);
  socket.write(
    "GET HTTP://user:secret@[::1]:81/v2/chainlist HTTP/1.1\r\nhost: other.test\r\nconnection: close\r\n\r\n",
  );
  const answer = await text(socket);
  expect(answer).toContain('"blockexplorer":"http://[::1]:81/"');
  expect(answer).not.toContain("other.test");
});

test("its errors are in Etherscan's form", async () => {
  const app = await createTestApp({ rateLimit: 1 });
  const refused = { status: "0", message: "NOTOK" };
  const other = await app.app.inject({ method: "POST", url: "/v2/chainlist" });
  expect([other.statusCode, other.json()]).toEqual([
    405,
    { ...refused, result: "Method not allowed" },
  ]);
  await app.app.inject("/31337/v2/chainlist");
  const limited = await app.app.inject("//v2/chainlist/");
  expect([limited.statusCode, limited.json()]).toEqual([
    429,
    { ...refused, result: "Max rate limit reached" },
  ]);
  await app.close();
});

test("a chain that nobody knows yet is left out", async () => {
  const app = await createTestApp({
    chainId: () => {
      throw new Error("not yet");
    },
  });
  expect(await ask(app.app)).toMatchObject({ totalcount: 0, result: [] });
  await app.close();
});

test("says why it is degraded", async () => {
  const node = await startScriptedNode();
  const app = await createTestApp({ sql: server.sql, nodeUrl: node.url });
  expect((await ask(app.app)).result[0]).toMatchObject({
    status: 2,
    comment: "no indexer has reported yet",
  });
  await app.close();
  await node.stop();
});

test.each(["API", "Health", "v2"])(
  "a chain that is called %s takes no path away",
  async (networkName) => {
    const { app, close } = await createTestApp({ networkName });
    for (const path of [
      "/api?module=block&action=eth_block_number",
      "/health/live",
      "/v2/chainlist",
    ]) {
      expect((await app.inject(path)).body).not.toContain("Not found");
      expect((await app.inject(`/31337${path}`)).statusCode).toBe(
        (await app.inject(path)).statusCode,
      );
    }
    expect((await app.inject("/health/live")).json()).toEqual({ status: "live" });
    await close();
  },
);
