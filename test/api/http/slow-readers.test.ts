import { once } from "node:events";
import net from "node:net";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { cutSlowReaders } from "../../../src/api/http/answer.ts";

// More than the kernel takes for a client that reads nothing.
const ANSWER = "x".repeat(12_000_000);
const MOST_UNREAD = 30_000_000;

test("of unread answers that are too large together, the client with most of them loses its oldest", async () => {
  const app = Fastify();
  cutSlowReaders(app, 60_000, MOST_UNREAD);
  app.get("/", (_request, reply) => reply.send(ANSWER));
  const url = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const sockets: net.Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });
  /** Gives the connection once its answer is under way. */
  const ask = async (localAddress: string) => {
    const socket = net.connect({ host: url.hostname, port: Number(url.port), localAddress });
    sockets.push(socket);
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    await once(socket, "readable");
    return socket;
  };
  const readRest = async (socket: net.Socket) => {
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(socket, "close");
    return bytes;
  };

  const patient = await ask("127.0.0.2");
  const greedy = [await ask("127.0.0.1"), await ask("127.0.0.1"), await ask("127.0.0.1")];
  const lengths = await Promise.all([patient, ...greedy].map(readRest));
  expect(lengths.map((length) => length > ANSWER.length)).toEqual([true, false, false, true]);
});
