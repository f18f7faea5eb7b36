import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import { Admission, type AdmissionOptions } from "../../../core/admission.ts";
import { busy, RequestError } from "../../../core/errors.ts";
import { networkOf } from "../client-network.ts";
import { badRequest, type Input, payloadTooLarge } from "./form.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Returns whether a request carries sources, the only large bodies; undefined while only the names in its body show it. */
    takesSources?: (request: FastifyRequest, names?: Input) => boolean | undefined;
  }
}

/** Largest body in bytes of a request with sources, the reference's limit. */
export const BODY_LIMIT = 20_000_000;
/** Largest body in bytes of any other request. */
export const SMALL_BODY = 1_000_000;

/** Most bytes of large bodies in memory; each client may send one at a time. */
const LARGE_BODIES: AdmissionOptions = {
  capacity: () => 32_000_000,
  share: () => ({ one: 1 }),
  queue: { all: 100 },
  patienceMs: 10_000,
  refuse: () => busy("Too many large requests at a time, please try again later"),
};

// The cost of a body in tiny chunks grows with their number, not with its size.
const FEWEST_CRUMBS = 1000;
const LEAST_BYTES_OF_A_CRUMB = 64;

/** Limits of the data read after an answer that precedes the end of the body. */
const LINGER_BYTES = 64_000_000;
const LINGER_MS = 5_000;
const LEAST_COST_OF_A_CHUNK = 4_096;

const COMPRESSED = "A compressed body is not supported, please send it without Content-Encoding";

/** Reads every relevant body into one `Buffer`, after a check of its size; request.ts parses it. */
export function readBodies(app: FastifyInstance): void {
  const largeBodies = new Admission(LARGE_BODIES);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => {
    if (!isWanted(request)) done(null);
    else readWhole(payload, bodyLimitOf(request)).then((body) => done(null, body), done);
  });
  app.addHook("preParsing", (request, reply, payload, done) => {
    admit(request, reply, largeBodies).then(() => {
      if (awaitsContinue(request)) reply.raw.writeContinue();
      done(null, payload);
    }, done);
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    if (!(request.raw.complete || announcedSize(request) <= BODY_LIMIT))
      reply.header("connection", "close");
    if (!request.raw.complete && announcedSize(request) > 0) discardRest(request, reply);
    done(null, payload);
  });
}

/** Drops the rest of a refused body: closing at once would reset the connection before the client reads the answer. */
function discardRest({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { socket } = raw;
  if (!(socket instanceof Socket)) return;
  const destroySoon = socket.destroySoon.bind(socket);
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    socket.end();
    if (raw.complete) destroySoon();
    else raw.once("end", destroySoon);
  };
  let left = LINGER_BYTES;
  reply.raw.once("finish", () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    raw.once("close", () => clearTimeout(timer));
    raw.on("data", (chunk: Buffer) => {
      left -= Math.max(chunk.length, LEAST_COST_OF_A_CHUNK);
      if (left < 0) socket.destroy();
    });
    raw.resume();
  });
}

/** Returns whether the body of a request is relevant. An unknown path or method is refused with any body. */
function isWanted({ method, is404 }: FastifyRequest): boolean {
  return method === "POST" && !is404;
}

/** Returns whether the client sends its body only on request (RFC 9110, 10.1.1). */
function awaitsContinue(request: FastifyRequest): boolean {
  const { headers, httpVersion } = request.raw;
  return httpVersion === "1.1" && /100-continue/i.test(headers.expect ?? "") && isWanted(request);
}

/** Returns the announced size of a body in bytes; infinite for a chunked one. */
function announcedSize({ headers }: FastifyRequest): number {
  if (headers["transfer-encoding"] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers["content-length"] ?? 0);
}

/** Returns whether a body is compressed: its size is unknown before it is unpacked. */
function isCompressed({ headers }: FastifyRequest): boolean {
  const codings = `${headers["content-encoding"] ?? ""},${headers["transfer-encoding"] ?? ""}`;
  return !codings.split(",").every((coding) => /^(?:identity|chunked)?$/i.test(coding.trim()));
}

function bodyLimitOf(request: FastifyRequest): number {
  const { takesSources } = request.routeOptions.config;
  return takesSources && takesSources(request) !== false ? BODY_LIMIT : SMALL_BODY;
}

/** Waits for memory for a possibly large body. Throws `RequestError` when it is too large or compressed, or waits too long. */
async function admit(request: FastifyRequest, reply: FastifyReply, largeBodies: Admission) {
  const size = announcedSize(request);
  if (size === 0 || !isWanted(request)) return;
  if (isCompressed(request)) {
    reply.header("accept-encoding", "identity");
    throw new RequestError(415, "bad-request", COMPRESSED);
  }
  if (size <= SMALL_BODY) return;
  const limit = bodyLimitOf(request);
  if (Number.isFinite(size) && size > limit) throw payloadTooLarge();
  if (limit <= SMALL_BODY) return;
  const gone = new AbortController();
  const closed = new Promise((resolve) => reply.raw.once("close", resolve));
  void closed.then(() => gone.abort());
  const release = await largeBodies.enter({
    client: networkOf(request),
    amount: Math.min(size, limit),
    signal: gone.signal,
  });
  // The handler keeps the body until it has answered.
  void closed.then(release);
}

function readWhole(payload: RequestPayload, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    payload.on("data", take);
    payload.once("end", () => resolve(Buffer.concat(chunks, size)));
    payload.once("error", reject);

    function take(chunk: Buffer): void {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) stop(payloadTooLarge());
      if (chunks.length > FEWEST_CRUMBS + size / LEAST_BYTES_OF_A_CRUMB) stop(badRequest());
    }

    function stop(reason: Error): void {
      payload.off("data", take);
      (payload as IncomingMessage).pause();
      reject(reason);
    }
  });
}
