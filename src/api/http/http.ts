import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "pino";
import { RequestError } from "../../core/errors.ts";
import { noteConnection } from "../../core/turns.ts";
import {
  type Answer,
  type Dialect,
  failed,
  failureAnswer,
  jsonAnswer,
} from "../explorer/envelope.ts";
import { readChainOfPath, type ServedChains } from "../serving/served-chain.ts";
import { type ErrorLog, errorAnswer, isSourcifyUrl } from "../sourcify/errors.ts";
import { withoutPorts } from "./client-network.ts";
import { compressAnswers } from "./compression.ts";
import { QUERY_TIMEOUT, QueryTimedOut, requestErrorOf } from "./failures.ts";
import { BODY_LIMIT, readBodies } from "./input/body.ts";
import { noteMethods } from "./methods.ts";
import { redactUrl } from "./redact.ts";
import { cutSlowReaders } from "./slow-readers.ts";
import { boundUnanswered } from "./unanswered.ts";

export interface HttpOptions {
  chains: ServedChains;
  log: Logger;
  /** Time limit for a request to arrive, for its answer to be read, and for a silent connection. */
  requestTimeoutMs: number;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
}

declare module "fastify" {
  interface FastifyRequest {
    /** `module/action` once known, for the log. */
    actionName: string | null;
  }
  interface FastifyInstance {
    /** Answers browsers at an unknown path; null where there are no pages. */
    unknownPage: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | null;
  }
}

/** Paths that answer programs only, never with a page. */
const FOR_PROGRAMS = /^\/+(?:[^/]+\/+)?(?:v2\/+)?(?:api|sourcify|openapi|mcp)(?:[/?]|$)/;

/** Bytes of the request line and the headers together. Clients of Etherscan send call data of that size in a URL. */
const HEADER_LIMIT = 128 * 1024;
const ETHERSCAN_PATHS = /^\/v2\/(?:api|chainlist)(?:\/|$)/;
const KEEP_ALIVE_MS = 72_000;
const HEADERS_TIMEOUT_MS = 10_000;
const CONNECTIONS_CHECK_MS = 2_000;
/** Error code of a CONNECT request. */
const TUNNEL_REFUSED = "ERR_TUNNEL_REFUSED";

const COMMON_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "bypass-429-option,x-ratelimit-reset,x-ratelimit-limit,x-ratelimit-remaining,retry-after,x-periscope-block,x-periscope-error,x-periscope-rows,x-next-cursor,content-disposition,etag",
  "x-ratelimit-limit": "-1",
  "x-ratelimit-remaining": "-1",
  "x-ratelimit-reset": "-1",
  "bypass-429-option": "no_bypass",
  "x-content-type-options": "nosniff",
  // Cacheable answers set their own.
  "cache-control": "no-store",
};
export const PREFLIGHT_HEADERS = {
  "access-control-max-age": "1728000",
  "access-control-allow-methods": "GET,POST,OPTIONS",
  "access-control-allow-headers":
    "Authorization,Content-Type,Accept,Origin,User-Agent,DNT,Cache-Control,X-Requested-With,If-Modified-Since,If-None-Match,x-api-key,mcp-protocol-version,mcp-method,mcp-name",
};

/** Creates the common part of all routes: identities, limits, headers, the log, and an envelope for errors. */
export function createHttp(options: HttpOptions): FastifyInstance {
  const { log, requestTimeoutMs, trustedProxies } = options;
  const process = randomBytes(4).toString("hex");
  let requests = 0;
  const chainOfPath = readChainOfPath(options.chains);
  const routerOptions = {
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    // A long part of a path is an invalid identifier, not an unknown path.
    maxParamLength: 1000,
    // request.ts parses the query, and is stricter.
    querystringParser: () => ({}),
  };
  const app = Fastify({
    rewriteUrl: chainOfPath.rewriteUrl,
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "requestId",
    }),
    genReqId: () => `${process}-${(++requests).toString(36)}`,
    bodyLimit: BODY_LIMIT,
    // The last address of the header outside the trusted proxies counts: a client may have invented those before it.
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    return503OnClosing: false,
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      requireHostHeader: false,
    },
    routerOptions,
    frameworkErrors: (_error, request, reply) => {
      void send(reply.headers(COMMON_HEADERS), httpError(unknownPath(), request));
    },
    clientErrorHandler: (error, socket) => {
      // A text would be read as the answer to an earlier request, or within it.
      if (!settleClientError(error, socket)) refuseConnection(error, socket);
    },
  });
  app.server.on("connection", noteConnection);
  const settleClientError = boundUnanswered(app.server);
  cutSlowReaders(app, requestTimeoutMs);
  compressAnswers(app);
  // Otherwise Node answers an unknown Expect header itself, without a body, and asks for bodies that are refused.
  for (const event of ["checkExpectation", "checkContinue"]) {
    app.server.on(event, (request, response) => app.server.emit("request", request, response));
  }
  // Otherwise Node closes the connection without an answer, and without those to earlier requests.
  app.server.on("connect", (_request, socket: Socket) => {
    // Node has released the socket: it handles neither its errors nor a client that does not close it.
    socket.on("error", () => {}).once("finish", () => socket.destroy());
    app.server.emit("clientError", Object.assign(new Error(), { code: TUNNEL_REFUSED }), socket);
  });
  // Otherwise Fastify reports its content type before its method is refused.
  app.addHttpMethod("QUERY", { hasBody: false, overrideExisting: true });
  const methodsOf = noteMethods(app, routerOptions);
  app.decorateRequest("actionName", null);
  chainOfPath.attach(app);
  readBodies(app);
  const noteProxy = createProxyNote(log);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(COMMON_HEADERS);
    dropBrokenContentType(request);
    dropPorts(request);
    noteProxy(request);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    logAnswer(request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const seconds = requestErrorOf(error)?.retryAfterSeconds;
    if (seconds !== undefined) reply.header("retry-after", String(seconds));
    return send(reply, answerTo(error, request));
  });
  app.decorate("unknownPage", null);
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request.url);
    if (methods.length > 0 && !methods.includes(request.method)) {
      reply.header("allow", [...methods, "OPTIONS"].join(", "));
      return send(reply, httpError(methodNotAllowed(), request));
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isPage = isRead && !FOR_PROGRAMS.test(request.url);
    return isPage && app.unknownPage
      ? app.unknownPage(request, reply)
      : send(reply, httpError(unknownPath(), request));
  });
  app.options("*", (request, reply) => {
    if (request.headers["access-control-request-method"]) reply.headers(PREFLIGHT_HEADERS);
    return reply.code(204).send();
  });
  return app;
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

/** Abort reason of a request's remaining work. Created once: an error with its stack costs more than small answers do. */
const ENDED = new Error("the answer is sent, or its connection closed");

/** Returns a signal that is aborted once the answer is sent, or its connection closed. */
export function endOf({ raw }: FastifyReply): AbortSignal {
  const end = new AbortController();
  raw.once("close", () => end.abort(ENDED));
  return end.signal;
}

/** A structured field (RFC 9651). */
function errorHeader({ fault }: Answer): Readonly<Record<string, string>> {
  if (!fault) return {};
  const { code, parameter } = fault;
  return { "x-periscope-error": parameter === undefined ? code : `${code};name=${parameter}` };
}

/** Returns an error envelope, or error object, in the dialect of the request's path. */
export function httpError(
  error: RequestError,
  { url, log }: Pick<FastifyRequest, "url"> & { log?: ErrorLog },
): Answer {
  if (isSourcifyUrl(url)) return errorAnswer(error, log);
  const { code, message, httpStatus, parameter } = error;
  if (isMcpUrl(url)) {
    const refusal = { jsonrpc: "2.0", id: null, error: { code: -32_000, message } };
    return jsonAnswer(refusal, httpStatus, error);
  }
  return failureAnswer(failed(code, message, { httpStatus, parameter }), dialectOf(url));
}

/** Returns whether a URL belongs to the Model Context Protocol. */
export function isMcpUrl(url: string): boolean {
  return pathOf(url) === "/mcp";
}

/** The error for a path that is not there. */
export function unknownPath(): RequestError {
  return new RequestError(404, "unknown-path", "Not found");
}

/** The error for a method that a path does not take. */
export function methodNotAllowed(): RequestError {
  return new RequestError(405, "method-not-allowed", "Method not allowed");
}

/** Returns the dialect of a URL's path. */
export function dialectOf(url: string): Dialect {
  return ETHERSCAN_PATHS.test(pathOf(url)) ? "etherscan" : "blockscout";
}

/** Warns once about an untrusted proxy: all its users count as one client. */
function createProxyNote(log: Logger): (request: FastifyRequest) => void {
  let isNoted = false;
  return ({ headers, ip, socket }) => {
    if (isNoted || headers["x-forwarded-for"] === undefined || ip !== socket.remoteAddress) return;
    isNoted = true;
    log.warn(
      { peer: socket.remoteAddress },
      "ignoring X-Forwarded-For from an untrusted peer; if it is your proxy, add it to TRUSTED_PROXIES: " +
        "until then all its users share one rate limit",
    );
  };
}

/** Removes an unparsable content type: Fastify answers 415 to it, the wire ignores such a body. */
function dropBrokenContentType(request: FastifyRequest): void {
  const type = request.headers["content-type"];
  if (type !== undefined && request.mediaType === undefined) delete request.headers["content-type"];
}

/** Removes ports: Fastify rejects an address with a port, of a client or of a trusted proxy. */
function dropPorts({ headers }: FastifyRequest): void {
  const forwardedFor = headers["x-forwarded-for"];
  if (typeof forwardedFor === "string") headers["x-forwarded-for"] = withoutPorts(forwardedFor);
}

/** Returns the answer to what was thrown, in the dialect of a URL. */
export function answerTo(thrown: unknown, request: FastifyRequest, url = request.url): Answer {
  const known = requestErrorOf(thrown);
  // Neither a client that disconnects during its request nor a first synchronisation is a fault.
  const isExpected = known && (known.httpStatus < 500 || known.code === "loading");
  const isFault = !isExpected && !request.raw.socket.destroyed;
  if (isFault) request.log.error({ err: thrown }, "request failed");
  if (known instanceof QueryTimedOut && dialectOf(url) === "etherscan") {
    return jsonAnswer({ status: "0", message: QUERY_TIMEOUT, result: null }, 200, known);
  }
  const error = known ?? new RequestError(500, "internal", "Something went wrong.");
  return httpError(error, { url, log: request.log });
}

function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      url: redactUrl(request.originalUrl, !request.is404),
      action: request.actionName ?? undefined,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    "request",
  );
}

/** Answers an invalid or late request, and closes its connection. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return;
  const answer = connectionAnswer(error.code);
  const { body, contentType, httpStatus } = answer;
  socket.end(
    [
      `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
      ...Object.entries({ ...COMMON_HEADERS, ...errorHeader(answer) }).map(
        ([name, value]) => `${name}: ${value}`,
      ),
      // No method leads to the other end of a tunnel.
      ...(httpStatus === 405 ? ["allow: "] : []),
      `content-type: ${contentType}`,
      `content-length: ${body.length}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/** Returns the answer without a known path. Long URLs come from clients of Etherscan, which expect this status. */
function connectionAnswer(code: string | undefined): Answer {
  if (code === "HPE_HEADER_OVERFLOW") {
    return failureAnswer(
      failed("too-long", "Request-URI Too Long", { httpStatus: 414 }),
      "etherscan",
    );
  }
  if (code === TUNNEL_REFUSED) return httpError(methodNotAllowed(), { url: "" });
  const httpStatus = code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  return httpError(new RequestError(httpStatus, "bad-request", "Bad request"), { url: "" });
}

/** Returns the path of a URL without query, doubled and trailing slashes. */
function pathOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
}
