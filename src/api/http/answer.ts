import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Duplex, pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { BlockReference } from "../../chain/questions.ts";
import type { Fault } from "../../core/errors.ts";
import { calmTurn } from "../../core/turns.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import { networkOf } from "./client-network.ts";

/** The answer in the form it is sent. */
export interface Answer {
  httpStatus: number;
  contentType: string;
  body: string;
  /** Reason of a failure, for `x-periscope-error`. */
  fault?: Fault | undefined;
  /** The head of its state, for `x-periscope-block`; absent where the index was not read. */
  block?: BlockReference | undefined;
  /** Sent in place of the body, with its own headers. */
  file?: { stream: Readable; headers: Readonly<Record<string, string>> };
  /** Cursor of the next page. */
  next?: string | undefined;
  /** Tag of an answer that is valid until the head changes (`Action.changesWithHead`). */
  etag?: string | undefined;
}

/** Returns a JSON answer. */
export function jsonAnswer(value: unknown, httpStatus = 200, fault?: Fault): Answer {
  return { ...jsonText(JSON.stringify(value), httpStatus), fault };
}

/** Returns an answer from JSON text. */
export function jsonText(body: string, httpStatus = 200): Answer {
  return { httpStatus, contentType: "application/json; charset=utf-8", body };
}

/** Sends an answer with its block, the code of its failure, and the cursor of the page behind. */
export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  const { httpStatus, contentType, body, block, file, next } = answer;
  reply.headers(errorHeader(answer));
  if (next !== undefined) reply.header("x-next-cursor", next);
  if (block) reply.header("x-periscope-block", `${block.number};${block.hash}`);
  if (httpStatus === 304 || httpStatus === 204) return reply.code(httpStatus).send();
  reply.code(httpStatus).header("content-type", contentType);
  if (!file) return reply.send(body);
  // Fastify would read the whole stream for the headers.
  const isHead = reply.request.method === "HEAD";
  if (isHead) file.stream.destroy();
  return reply.headers(file.headers).send(isHead ? Readable.from([]) : file.stream);
}

/** Returns the code of a failure as a structured field (RFC 9651). */
export function errorHeader({ fault }: Answer): Readonly<Record<string, string>> {
  if (!fault) return {};
  const { code, parameter } = fault;
  return { "x-periscope-error": parameter === undefined ? code : `${code};name=${parameter}` };
}

/** Abort reason of a request's remaining work. Created once: an error with its stack costs more than small answers do. */
const ENDED = new Error("the answer is sent, or its connection closed");

/** Returns a signal that is aborted once the answer is sent, or its connection closed. */
export function endOf({ raw }: FastifyReply): AbortSignal {
  const end = new AbortController();
  raw.once("close", () => end.abort(ENDED));
  return end.signal;
}

/** Characters above which hashing and sending each get a turn of the event loop: each takes tens of milliseconds. */
const LARGE_TEXT = 1_000_000;

/** For answers that a client may cache but must revalidate. */
export const REVALIDATE = "no-cache";

/** Returns the tag of answers that depend only on blocks up to the head. Another index or program may present them differently. */
export function tagOfHead(
  { hash: block, generation, indexId }: ServedHead,
  program: string,
): string {
  return hashTag(`${block};${generation};${indexId};${program}`);
}

/** Returns the tags of `if-none-match` as weak ones, as RFC 9110 (13.1.2) compares them; none for methods that do not read. */
export function knownTags({ method, headers }: FastifyRequest): readonly string[] {
  if (method !== "GET" && method !== "HEAD") return [];
  const tags = (headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim());
  return tags.filter((tag) => tag !== "").map((tag) => tag.replace(/^(?=")/, "W/"));
}

/** Returns whether a client has an answer with the tag; `*` matches any. */
export function hasTag(request: FastifyRequest, etag: string): boolean {
  const known = knownTags(request);
  return known.includes(etag) || known.includes("*");
}

/** Sends an answer with its own tag, else one of its text, and 304 to a client that has it. */
export async function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || (answer.httpStatus !== 200 && answer.httpStatus !== 304)) {
    return send(reply, answer);
  }
  const isLarge = answer.body.length > LARGE_TEXT;
  if (isLarge) await calmTurn();
  const etag = answer.etag ?? hashTag(answer.body);
  if (isLarge) await calmTurn();
  reply.headers({ etag, "cache-control": REVALIDATE, vary: "accept-encoding" });
  return hasTag(request, etag)
    ? send(reply, { ...answer, httpStatus: 304, body: "" })
    : send(reply, answer);
}

/** Returns a weak tag: the same answer is sent in several encodings. */
function hashTag(text: string): string {
  return `W/"${hash("sha1", text, "base64url")}"`;
}

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
