import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from "fastify";
import FindMyWay, { type Config, type HTTPVersion } from "find-my-way";
import type { Logger } from "pino";
import { RequestError } from "../../core/errors.ts";
import { noteConnection } from "../../core/turns.ts";
import { type Answer, compressAnswers, cutSlowReaders, errorHeader, send } from "./answer.ts";
import { withoutPorts } from "./client-network.ts";
import { methodNotAllowed, requestErrorOf, unknownPath } from "./failures.ts";
import { BODY_LIMIT, readBodies } from "./input/body.ts";
import { boundUnanswered } from "./unanswered.ts";

export interface HttpOptions {
  log: Logger;
  /** Time limit for a request to arrive, for its answer to be read, and for a silent connection. */
  requestTimeoutMs: number;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
}

/** Callbacks into the layers above this folder. */
export interface Front {
  rewriteUrl: NonNullable<FastifyServerOptions["rewriteUrl"]>;
  attach(app: FastifyInstance): void;
  /** Returns the answer for a thrown error, in the dialect of the request's URL. */
  answerTo(thrown: unknown, request: Pick<FastifyRequest, "url"> & Partial<FastifyRequest>): Answer;
  /** Lower-case names of parameters that the log may show. */
  parameterNames: ReadonlySet<string>;
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
export function createHttp(
  { log, requestTimeoutMs, trustedProxies }: HttpOptions,
  { rewriteUrl, attach, answerTo, parameterNames }: Front,
): FastifyInstance {
  const process = randomBytes(4).toString("hex");
  let requests = 0;
  const routerOptions = {
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    // A long part of a path is an invalid identifier, not an unknown path.
    maxParamLength: 1000,
    // request.ts parses the query, and is stricter.
    querystringParser: () => ({}),
  };
  const app = Fastify({
    rewriteUrl,
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
      void send(reply.headers(COMMON_HEADERS), answerTo(unknownPath(), request));
    },
    clientErrorHandler: (error, socket) => {
      // The client would read a text as the answer to an earlier request, or as a part of it.
      if (!settleClientError(error, socket)) refuseConnection(error, socket, answerTo);
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
  attach(app);
  readBodies(app);
  const noteProxy = createProxyNote(log);
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(COMMON_HEADERS);
    // Removes an unparsable content type: Fastify answers 415 to it, the wire ignores such a body.
    const type = request.headers["content-type"];
    if (type !== undefined && request.mediaType === undefined)
      delete request.headers["content-type"];
    // Removes ports: Fastify rejects an address with a port, of a client or of a trusted proxy.
    const { headers } = request;
    const forwardedFor = headers["x-forwarded-for"];
    if (typeof forwardedFor === "string") headers["x-forwarded-for"] = withoutPorts(forwardedFor);
    noteProxy(request);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        url: redactUrl(request.originalUrl, !request.is404, parameterNames),
        action: request.actionName ?? undefined,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      "request",
    );
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
      return send(reply, answerTo(methodNotAllowed(), request));
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    const isPage = isRead && !FOR_PROGRAMS.test(request.url);
    return isPage && app.unknownPage
      ? app.unknownPage(request, reply)
      : send(reply, answerTo(unknownPath(), request));
  });
  app.options("*", (request, reply) => {
    if (request.headers["access-control-request-method"]) reply.headers(PREFLIGHT_HEADERS);
    return reply.code(204).send();
  });
  return app;
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

/** Answers an invalid or late request, and closes its connection. */
function refuseConnection(
  error: Error & { code?: string },
  socket: Socket,
  answerTo: Front["answerTo"],
): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return;
  const answer = connectionAnswer(error.code, answerTo);
  const { body, contentType, httpStatus } = answer;
  socket.end(
    [
      `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
      ...Object.entries({ ...COMMON_HEADERS, ...errorHeader(answer) }).map(
        ([name, value]) => `${name}: ${value}`,
      ),
      // CONNECT has no path whose methods could be named.
      ...(httpStatus === 405 ? ["allow: "] : []),
      `content-type: ${contentType}`,
      `content-length: ${body.length}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/** Returns the answer to a request whose path is unknown. Etherscan's clients send long URLs and expect this status. */
function connectionAnswer(code: string | undefined, answerTo: Front["answerTo"]): Answer {
  if (code === "HPE_HEADER_OVERFLOW") {
    return answerTo(new RequestError(414, "too-long", "Request-URI Too Long"), { url: "/v2/api" });
  }
  if (code === TUNNEL_REFUSED) return answerTo(methodNotAllowed(), { url: "" });
  const httpStatus = code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
  return answerTo(new RequestError(httpStatus, "bad-request", "Bad request"), { url: "" });
}

const REDACTED = "[redacted]";
const LOGGED_CHARACTERS = 2000;
/** Keys are longer; mistyped parts of a path are not. */
const LONGEST_WORD = 15;

/** Returns a URL for the log: with known parameters only, and only the short words of an unknown path. */
export function redactUrl(url: string, isKnownPath: boolean, names: ReadonlySet<string>): string {
  const start = url.indexOf("?");
  const path = start < 0 ? url : url.slice(0, start);
  const hide = (word: string) => (word.length > LONGEST_WORD ? REDACTED : word);
  const logged = isKnownPath ? path : path.split("/").map(hide).join("/");
  if (start < 0) return logged.slice(0, LOGGED_CHARACTERS);
  const query = url.slice(start + 1).split("&");
  // Any other parameter may hold a key.
  const shown = query.map((part) => {
    const [name = ""] = part.split("=", 1);
    return part === "" || names.has(name.toLowerCase()) ? part : REDACTED;
  });
  return `${logged}?${shown.join("&")}`.slice(0, LOGGED_CHARACTERS);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Returns whether a path with these parameters exists; by default every one does. */
    isThere?: (parameters: Readonly<Record<string, string | undefined>>) => boolean;
  }
}

/** The methods of routes. */
const METHODS = ["GET", "HEAD", "POST"] as const;

/** Notes routes added from now on; returns a function for the methods of a URL, which Fastify's router does not offer. */
function noteMethods(
  app: FastifyInstance,
  options: Config<HTTPVersion.V1>,
): (url: string) => readonly string[] {
  const router = FindMyWay(options);
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const noted of METHODS.filter((known) => [method].flat().includes(known))) {
      router.on(noted, url, () => {}, config?.isThere);
    }
  });
  return (url) =>
    METHODS.filter((method) => {
      const found = router.find(method, url);
      const isThere: ((parameters: object) => boolean) | undefined = found?.store;
      return found && (isThere?.(found.params) ?? true);
    });
}
