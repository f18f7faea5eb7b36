import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { boundUnanswered } from "../../../src/api/http/unanswered.ts";

const REQUEST = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nbody";
const HALVES = {
  headers: [REQUEST.slice(0, 20), REQUEST.slice(20)],
  "a body": [REQUEST.slice(0, -2), REQUEST.slice(-2)],
} as const;

let waiting: ServerResponse[];
let blamed: string[];
const server = createServer(
  { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 20 },
  async (request, response) => {
    waiting.push(response);
    request.resume();
  },
);
const settleClientError = boundUnanswered(server);
server.on("clientError", (error: Error & { code?: string }, socket: net.Socket) => {
  blamed.push(String(error.code));
  if (!settleClientError(error, socket)) socket.destroy();
});
let socket: net.Socket;
let text: string;
beforeEach(async () => {
  waiting = [];
  blamed = [];
  text = "";
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.on("data", (data) => {
    text += data;
  });
});
afterEach(async () => {
  socket.destroy();
  server.close();
  await once(server, "close");
});

const answers = () => text.match(/HTTP\/1\.1 200/g)?.length ?? 0;
function answerAll(): void {
  for (const response of waiting.splice(0)) response.end("x");
}

test.each(["headers", "a body"] as const)(
  "a client is not blamed for %s that nobody read while its requests waited",
  async (what) => {
    const [first, second] = HALVES[what];
    socket.write(REQUEST.repeat(39) + first);
    await expect.poll(() => waiting.length).toBeGreaterThanOrEqual(39);
    // The client has sent all, and the time limits pass while the server does not read it.
    socket.write(second);
    await expect.poll(() => blamed.length).toBeGreaterThan(1);
    answerAll();
    await expect.poll(() => waiting.length + answers()).toBe(40);
    answerAll();
    await expect.poll(answers).toBe(40);
  },
);

test.each(["headers", "a body"] as const)(
  "a client that is late with %s once it is read again is blamed",
  async (what) => {
    const [first] = HALVES[what];
    socket.write(REQUEST.repeat(39) + first);
    await expect.poll(() => blamed.length).toBeGreaterThan(0);
    answerAll();
    await once(socket, "close");
    expect(answers()).toBeGreaterThanOrEqual(39);
  },
);
