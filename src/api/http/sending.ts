import type { ServerResponse } from "node:http";
import { type Duplex, pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { networkOf } from "./client-network.ts";

/** Shorter answers fit into a packet or two uncompressed. */
const THRESHOLD_BYTES = 1024;

const { BROTLI_PARAM_QUALITY, ZSTD_c_compressionLevel: ZSTD_LEVEL } = zlib.constants;
const ZSTD = { params: { [ZSTD_LEVEL]: 1 } };
const BROTLI = { params: { [BROTLI_PARAM_QUALITY]: 1 } };
const GZIP = { level: 1 };
const zstd = promisify(zlib.zstdCompress);
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** Encodings, best first. At the cheapest level 370 KB become 60 to 100 KB in 0.5 to 2.5 ms of another thread. */
const ENCODINGS: readonly (readonly [
  name: string,
  pack: (text: string) => Promise<Buffer>,
  createPacker: () => Duplex,
])[] = [
  ["zstd", (text) => zstd(text, ZSTD), () => zlib.createZstdCompress(ZSTD)],
  ["br", (text) => brotli(text, BROTLI), () => zlib.createBrotliCompress(BROTLI)],
  ["gzip", (text) => gzip(text, GZIP), () => zlib.createGzip(GZIP)],
];

/** Compresses texts above a kilobyte for clients that accept it; never on the event loop. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const isLong = typeof payload === "string" && payload.length >= THRESHOLD_BYTES;
    if (!isLong && !(payload instanceof Readable)) return done(null, payload);
    if (!reply.hasHeader("vary")) reply.header("vary", "accept-encoding");
    const accepted = acceptedEncodings(request);
    const encoding = ENCODINGS.find(([name]) => accepted.has(name));
    if (!encoding || reply.hasHeader("content-encoding")) return done(null, payload);
    const [name, pack, createPacker] = encoding;
    if (payload instanceof Readable) {
      reply.header("content-encoding", name);
      return done(
        null,
        pipeline(payload, createPacker(), () => {}),
      );
    }
    pack(payload).then((packed) => {
      reply.header("content-encoding", name).removeHeader("content-length");
      done(null, packed);
    }, done);
  });
}

/** Returns the encodings that a client accepts, without those of weight 0; `*` means gzip, which every client supports. */
export function acceptedEncodings({ headers }: FastifyRequest): ReadonlySet<string> {
  const items = String(headers["accept-encoding"] ?? "").split(",");
  return new Set(
    items.flatMap((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
      if (parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) return [];
      return [name === "*" ? "gzip" : name];
    }),
  );
}

/** The kernel buffers this much, so it takes no memory of this process. */
const HARMLESS_BYTES = 64 * 1024;
/** Characters of all unread answers. */
const MOST_UNREAD = 200_000_000;

/** Cuts off clients that read a large answer too slowly; above the bound, the client with most loses its oldest answer. */
export function cutSlowReaders(app: FastifyInstance, timeoutMs: number, mostUnread = MOST_UNREAD) {
  /** Oldest first. */
  const unread = new Map<ServerResponse, { client: string; size: number; timer: NodeJS.Timeout }>();
  let total = 0;

  function forget(response: ServerResponse): void {
    const { size = 0, timer } = unread.get(response) ?? {};
    unread.delete(response);
    clearTimeout(timer);
    total -= size;
  }

  function cut(response: ServerResponse): void {
    forget(response);
    response.destroy();
  }

  function oldestOfLargestClient(): ServerResponse | undefined {
    const sizes = new Map<string, number>();
    for (const { client, size } of unread.values()) {
      sizes.set(client, (sizes.get(client) ?? 0) + size);
    }
    const largest = Math.max(...sizes.values());
    for (const [response, { client }] of unread) if (sizes.get(client) === largest) return response;
    return undefined;
  }

  app.addHook("onSend", (request, reply, payload, done) => {
    if (typeof payload === "string" && payload.length > HARMLESS_BYTES) {
      const { raw } = reply;
      const timer = setTimeout(() => cut(raw), timeoutMs);
      unread.set(raw, { client: networkOf(request), size: payload.length, timer });
      total += payload.length;
      raw.once("close", () => forget(raw));
      while (total > mostUnread && unread.size > 1) {
        const oldest = oldestOfLargestClient();
        if (oldest) cut(oldest);
      }
    }
    done(null, payload);
  });
}
