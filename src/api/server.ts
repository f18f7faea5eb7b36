import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import multipart from "@fastify/multipart";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import type { Services } from "./action.ts";
import { createDispatch, findAction } from "./dispatch.ts";
import { type Answer, type Dialect, failed, failureAnswer } from "./envelope.ts";
import { requestErrorOf } from "./failures.ts";
import { redactUrl } from "./redact.ts";
import { BODY_LIMIT, MULTIPART_PARTS, parseRequest } from "./request.ts";

export interface ServerOptions extends Services {
  /** Time for a request to arrive whole, and for a silent connection. */
  requestTimeoutMs: number;
}

declare module "fastify" {
  interface FastifyRequest {
    /** `module/action` once it is known, for the log. */
    actionName: string | null;
  }
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  "/api": "blockscout",
  "/api/v1": "blockscout",
  "/v2/api": "etherscan",
};
const KEEP_ALIVE_MS = 72_000;

const COMMON_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "bypass-429-option,x-ratelimit-reset,x-ratelimit-limit,x-ratelimit-remaining,retry-after",
  "x-ratelimit-limit": "-1",
  "x-ratelimit-remaining": "-1",
  "x-ratelimit-reset": "-1",
  "bypass-429-option": "no_bypass",
};
const PREFLIGHT_HEADERS = {
  "access-control-max-age": "1728000",
  "access-control-allow-methods": "GET,POST,OPTIONS",
  "access-control-allow-headers":
    "Authorization,Content-Type,Accept,Origin,User-Agent,DNT,Cache-Control,X-Requested-With,If-Modified-Since,x-api-key",
};

/** Builds the HTTP server; it does not listen. Closing it waits for the requests that run. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = createApp(options);
  const dispatch = createDispatch(options);
  app.decorateRequest("actionName", null);
  app.removeAllContentTypeParsers();
  // What a body means is decided in request.ts.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(COMMON_HEADERS);
    dropBrokenContentType(request);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    logAnswer(request, reply);
    done();
  });
  app.setErrorHandler((error, request, reply) => send(reply, answerTo(error, request)));
  app.setNotFoundHandler((request, reply) => {
    const [httpStatus, text] = isKnownPath(app, request.url)
      ? [405, "Method not allowed"]
      : [404, "Not found"];
    return send(reply, failureAnswer(failed(text, { httpStatus }), dialectOf(request.url)));
  });
  app.options("*", (request, reply) => {
    if (request.headers["access-control-request-method"]) reply.headers(PREFLIGHT_HEADERS);
    return reply.code(204).send();
  });

  for (const path of Object.keys(DIALECTS)) app.get(path, answerAction);
  // In a scope of its own: the plugin costs every request of its scope.
  app.register((bodies, _options, done) => {
    bodies.register(multipart, {
      limits: { fieldSize: BODY_LIMIT, fileSize: BODY_LIMIT, parts: MULTIPART_PARTS },
    });
    for (const path of Object.keys(DIALECTS)) bodies.post(path, answerAction);
    done();
  });

  async function answerAction(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const parsed = await parseRequest(request);
    const { module, action } = findAction(parsed.input);
    request.actionName = `${module}/${action.name}`;
    return send(reply, await dispatch(action, parsed, dialectOf(request.url)));
  }
  return app;
}

function createApp({ log, requestTimeoutMs }: ServerOptions): FastifyInstance {
  const process = randomBytes(4).toString("hex");
  let requests = 0;
  return Fastify({
    loggerInstance: log as FastifyBaseLogger,
    disableRequestLogging: true,
    genReqId: () => `${process}-${(++requests).toString(36)}`,
    bodyLimit: BODY_LIMIT,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      // request.ts reads the query, and is stricter.
      querystringParser: () => ({}),
    },
    frameworkErrors: (_error, request, reply) => {
      send(reply, failureAnswer(failed("Not found", { httpStatus: 404 }), dialectOf(request.url)));
    },
    clientErrorHandler: refuseConnection,
  });
}

/** Fastify answers 415 to a content type that it cannot read; the wire wants such a body ignored. */
function dropBrokenContentType(request: FastifyRequest): void {
  const type = request.headers["content-type"];
  if (type !== undefined && request.mediaType === undefined) delete request.headers["content-type"];
}

function send(reply: FastifyReply, { httpStatus, contentType, body }: Answer): FastifyReply {
  return reply.code(httpStatus).header("content-type", contentType).send(body);
}

function answerTo(thrown: unknown, request: FastifyRequest): Answer {
  const known = requestErrorOf(thrown);
  if (!known || known.httpStatus >= 500) request.log.error({ err: thrown }, "request failed");
  const text = known?.message ?? "Something went wrong.";
  const httpStatus = known?.httpStatus ?? 500;
  return failureAnswer(failed(text, { httpStatus }), dialectOf(request.url));
}

function logAnswer(request: FastifyRequest, reply: FastifyReply): void {
  request.log.info(
    {
      method: request.method,
      url: redactUrl(request.url),
      action: request.actionName ?? undefined,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    },
    "request",
  );
}

/** Answers bytes that are no HTTP request, or that did not arrive in time, and closes their connection. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return;
  const httpStatus =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? 408
      : error.code === "HPE_HEADER_OVERFLOW"
        ? 431
        : 400;
  const { body, contentType } = failureAnswer(failed("Bad request", { httpStatus }), "blockscout");
  socket.end(
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\ncontent-type: ${contentType}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** The path of a URL without query, doubled and trailing slashes. */
function pathOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
}

function dialectOf(url: string): Dialect {
  return DIALECTS[pathOf(url)] ?? "blockscout";
}

function isKnownPath(app: FastifyInstance, url: string): boolean {
  const path = pathOf(url);
  return app.hasRoute({ method: "GET", url: path }) || app.hasRoute({ method: "POST", url: path });
}
