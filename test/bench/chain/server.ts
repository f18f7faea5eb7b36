import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sleep } from "../../../src/core/async.ts";
import { takeSubscribers } from "./announcements.ts";
import type { BenchNode, RpcRequest } from "./node.ts";
import { createSpoiler, LATE_MS, type Spoilage, type Spoiler, wrongAnswer } from "./spoil.ts";

/** A node that is served on a free port of loopback, by HTTP and WebSocket. */
export interface NodeServer {
  port: number;
  /** `performance.now()` of the first request that asked for the receipts of a block. */
  readonly askedAt: number | undefined;
  /** From now on answers are spoilt so, and `askedAt` waits for the next such request. */
  spoil(kind: Spoilage): void;
  /** Mines blocks and announces the last of them to those who listen. */
  mine(count: number): void;
}

/** Serves a node. */
export async function serve(node: BenchNode): Promise<NodeServer> {
  let askedAt: number | undefined;
  const spoiler = createSpoiler();
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error) => response.destroy(error));
  });
  const announcements = takeSubscribers(server, node);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requests = JSON.parse(await readBody(request)) as RpcRequest | RpcRequest[];
    const calls = Array.isArray(requests) ? requests : [requests];
    if (calls.some(({ method }) => method === "eth_getBlockReceipts")) {
      askedAt ??= performance.now();
    }
    if (spoiler.kind !== "wrong" && spoiler.strikes()) {
      if (spoiler.kind === "cut") return void request.socket.destroy();
      if (spoiler.kind === "limited") return void response.writeHead(429).end("slow down");
      await sleep(LATE_MS);
    }
    send(response, pieces(node, calls, Array.isArray(requests), spoiler));
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get askedAt() {
      return askedAt;
    },
    spoil: (kind) => {
      spoiler.kind = kind;
      askedAt = undefined;
    },
    mine: (count) => announcements.announce(node.mine(count)),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function pieces(
  node: BenchNode,
  calls: readonly RpcRequest[],
  isBatch: boolean,
  spoiler: Spoiler,
): Buffer[] {
  const answers = calls.flatMap((call, index) => [
    Buffer.from(`${index > 0 ? "," : ""}{"jsonrpc":"2.0","id":${call.id},`),
    ...(spoiler.kind === "wrong" && spoiler.strikes() ? [wrongAnswer(call)] : node.answer(call)),
    Buffer.from("}"),
  ]);
  return isBatch ? [Buffer.from("["), ...answers, Buffer.from("]")] : answers;
}

/** Sends the pieces as they stand, in one go. */
function send(response: ServerResponse, body: readonly Buffer[]): void {
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(200, { "content-type": "application/json", "content-length": length });
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
  response.uncork();
}
