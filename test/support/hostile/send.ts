import net from "node:net";
import type { HostileRequest } from "./bodies.ts";

/** Sends a request and returns the status of its answer; 0 when it was cut off before. */
export async function sendHostile(base: string, request: HostileRequest): Promise<number> {
  const { hostname, port, host } = new URL(base);
  const { method, path, headers, body } = request;
  const isChunked = body.length > 1;
  const framing = isChunked
    ? { "transfer-encoding": "chunked" }
    : { "content-length": String(body[0]?.length ?? 0) };
  const head = Object.entries({ host, connection: "close", ...framing, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const content = isChunked
    ? [
        ...body.flatMap((piece) => [`${piece.length.toString(16)}\r\n${piece}\r\n`]),
        "0\r\n\r\n",
      ].join("")
    : (body[0] ?? "");
  const socket = net.connect({ host: hostname, port: Number(port) });
  let answer = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    if (answer.length < 100) answer += text;
  });
  // A server that has heard enough resets the connection.
  socket.on("error", () => {});
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n`);
  socket.write(content);
  await closed;
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}
