import { createHash } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { ScriptedChain } from "./chain.ts";

/** The WebSocket side of a node (RFC 6455, as little of it as `eth_subscribe` to `newHeads` needs). */
export interface WebSocketSide {
  /** Cuts all connections; `refuse` also turns away new ones until it is called with false. */
  cut(refuse: boolean): void;
  /** From now on nothing is sent over the present connections, which stay open. */
  mute(): void;
  /** Sends any value as a new head. */
  announce(header: unknown): void;
  /** How many connections are subscribed and not mute. */
  readonly subscriptions: number;
}

const HANDSHAKE_KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Adds WebSocket to a server: each new head of the chain is announced to all who subscribed. */
export function serveHeads(server: Server, chain: ScriptedChain): WebSocketSide {
  const sockets = new Set<Duplex>();
  const subscribed = new Set<Duplex>();
  let refusing = false;

  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    if (refusing) {
      socket.destroy();
      return;
    }
    const key = `${request.headers["sec-websocket-key"]}${HANDSHAKE_KEY}`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      subscribed.delete(socket);
    });
    socket.on("error", () => socket.destroy());
    socket.on("data", (frame: Buffer) => {
      const text = readText(frame);
      if (text === undefined) {
        socket.destroy();
        return;
      }
      const { id, method } = JSON.parse(text);
      if (method === "eth_subscribe") subscribed.add(socket);
      if (!subscribed.has(socket)) return;
      sendText(socket, { jsonrpc: "2.0", id, result: "0x1" });
    });
  });

  function announce(header: unknown): void {
    const params = { subscription: "0x1", result: header };
    for (const socket of subscribed) {
      sendText(socket, { jsonrpc: "2.0", method: "eth_subscription", params });
    }
  }

  chain.onHead(({ block: { transactions: _, ...header } }) => announce(header));

  return {
    cut(refuse) {
      refusing = refuse;
      for (const socket of sockets) socket.destroy();
    },
    mute: () => subscribed.clear(),
    announce,
    get subscriptions() {
      return subscribed.size;
    },
  };
}

/** The text of a client's frame; undefined for a close frame. Clients mask, and what they send here is short. */
function readText(frame: Buffer): string | undefined {
  if (((frame[0] ?? 0) & 0x0f) !== 1) return undefined;
  const short = (frame[1] ?? 0) & 0x7f;
  const maskAt = short === 126 ? 4 : 2;
  const length = short === 126 ? frame.readUInt16BE(2) : short;
  const mask = frame.subarray(maskAt, maskAt + 4);
  const masked = frame.subarray(maskAt + 4, maskAt + 4 + length);
  return Buffer.from(masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0))).toString();
}

function sendText(socket: Duplex, message: object): void {
  const payload = Buffer.from(JSON.stringify(message));
  const head =
    payload.length < 126 ? Buffer.from([0x81, payload.length]) : Buffer.from([0x81, 126, 0, 0]);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  socket.write(Buffer.concat([head, payload]));
}
