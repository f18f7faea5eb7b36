import { once } from "node:events";
import net from "node:net";
import { promisify } from "node:util";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";

const TIMEOUT_MS = 800;

let server: TestApp;
let port: number;
const logged: { level: number }[] = [];
beforeAll(async () => {
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  server = await createTestApp({ requestTimeoutMs: TIMEOUT_MS, log });
  port = Number(new URL(await server.app.listen({ host: "127.0.0.1", port: 0 })).port);
});
afterAll(() => server.close());

/** A client that acts every 50 ms until the server ends the connection; returns its input. */
async function untilCutOff(act: (socket: net.Socket) => void): Promise<string> {
  const socket = net.connect({ host: "127.0.0.1", port });
  let read = "";
  socket.on("error", () => {});
  const timer = setInterval(() => {
    act(socket);
    read += socket.read() ?? "";
  }, 50);
  socket.on("readable", () => {
    if (socket.readableEnded || socket.destroyed) read += socket.read() ?? "";
  });
  const ended = once(socket, "close");
  socket.once("end", () => socket.end());
  await ended;
  clearInterval(timer);
  return read;
}

test("a client that never finishes its headers is told so and cut off", async () => {
  let sent = false;
  const answer = await untilCutOff((socket) => {
    socket.write(sent ? "x-slow: 1\r\n" : "GET /api HTTP/1.1\r\nhost: localhost\r\n");
    sent = true;
  });
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(answer).toContain('{"status":"0","message":"Bad request","result":null}');
});

test("a client that never finishes its body is told so and cut off", async () => {
  let sent = false;
  const answer = await untilCutOff((socket) => {
    socket.write(
      sent ? "a" : "POST /api HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n",
    );
    sent = true;
  });
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
});

test("a client that says nothing is cut off", async () => {
  expect(await untilCutOff(() => {})).toBe("");
});

test("a client that reads large answers too slowly is cut off", async () => {
  const { body } = await server.app.inject("/openapi.json");
  const requests = 500;
  let client: net.Socket | undefined;
  await untilCutOff((socket) => {
    if (!client) {
      socket.write("GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(requests));
    }
    client = socket;
  });
  expect(client?.bytesRead).toBeGreaterThan(body.length);
  expect(client?.bytesRead).toBeLessThan(body.length * requests);
});

test("a client that goes away before its body has arrived is no fault", async () => {
  const socket = net.connect({ host: "127.0.0.1", port });
  socket.write("POST /api HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n1");
  await once(socket, "connect");
  setTimeout(() => socket.resetAndDestroy(), 300);
  const countConnections = promisify(server.app.server.getConnections.bind(server.app.server));
  await expect.poll(() => countConnections(), { timeout: 10_000 }).toBe(1);
  await expect.poll(() => countConnections(), { timeout: 10_000 }).toBe(0);
  expect(logged.filter(({ level }) => level > 30)).toEqual([]);
});

test("others are served meanwhile", async () => {
  const slow = untilCutOff((socket) => socket.write("x"));
  const response = await fetch(`http://127.0.0.1:${port}/api?module=block&action=eth_block_number`);
  expect(response.status).toBe(200);
  await slow;
});
