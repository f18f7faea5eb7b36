import { createHash } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { BenchNode, RpcRequest } from "./node.ts";

/** Listeners for new heads on the WebSocket of a server. */
export interface Announcements {
  /** Sends a header, as JSON, to all. */
  announce(header: Buffer): void;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 0x81;
const SHORT = 126;
const MASK_BYTES = 4;

/** Takes WebSocket connections (RFC 6455) whose messages are short, and answers the calls that come over them. */
export function takeSubscribers(server: Server, node: BenchNode): Announcements {
  const sockets = new Set<Duplex>();
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    const key = `${request.headers["sec-websocket-key"]}${GUID}`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n" +
        `sec-websocket-accept: ${accept}\r\n\r\n`,
    );
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      for (const text of messagesIn(bytes)) answerOver(socket, node, JSON.parse(text));
    });
  });
  return {
    announce(header) {
      const start =
        '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":';
      const message = Buffer.concat([Buffer.from(start), header, Buffer.from("}}")]);
      for (const socket of sockets) socket.write(frame(message));
    },
  };
}

function answerOver(socket: Duplex, node: BenchNode, request: RpcRequest): void {
  const start = Buffer.from(`{"jsonrpc":"2.0","id":${request.id},`);
  socket.write(frame(Buffer.concat([start, ...node.answer(request), Buffer.from("}")])));
}

function frame(message: Buffer): Buffer {
  const { length } = message;
  if (length < SHORT) return Buffer.concat([Buffer.from([TEXT, length]), message]);
  const head = Buffer.alloc(10);
  head[0] = TEXT;
  head[1] = SHORT + 1;
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, message]);
}

/** Texts of the masked frames in a piece of the stream, which holds them whole: clients send short ones. */
function messagesIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes.readUInt8(at);
    const short = bytes.readUInt8(at + 1) & 0x7f;
    const maskAt = at + (short === SHORT ? 4 : 2);
    const length = short === SHORT ? bytes.readUInt16BE(at + 2) : short;
    const mask = bytes.subarray(maskAt, maskAt + MASK_BYTES);
    const start = maskAt + MASK_BYTES;
    const body = bytes.subarray(start, start + length);
    for (const [index, byte] of body.entries()) {
      body[index] = byte ^ (mask[index % MASK_BYTES] as number);
    }
    if (kind === TEXT) texts.push(body.toString());
    at = start + length;
  }
  return texts;
}
