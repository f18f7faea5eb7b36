import multipart from "@fastify/multipart";
import type { FastifyInstance, RouteHandlerMethod } from "fastify";
import type { Services } from "./action.ts";
import { inTime } from "./deadline.ts";
import { createDispatch, findAction, namesIn } from "./dispatch.ts";
import type { Dialect } from "./envelope.ts";
import { parseRpcBody } from "./eth-rpc/body.ts";
import { createRpcHandler, parseErrorAnswer, type RpcOptions } from "./eth-rpc/handle.ts";
import { createHttp, type HttpOptions, refusal, send } from "./http.ts";
import { createLoadingGuard, type LoadingGuard } from "./loading.ts";
import { addDocumentation } from "./openapi.ts";
import { addHealth, type HealthOptions } from "./ops/health.ts";
import { addMetrics, type MetricsOptions } from "./ops/metrics.ts";
import type { NetworkOptions } from "./pages/network.ts";
import { addPages } from "./pages/pages.ts";
import { createRateLimiter, type RateLimiter, type RateLimitOptions } from "./rate-limit.ts";
import { BODY_LIMIT, MULTIPART_PARTS, parseRequest } from "./request.ts";

export type ServerOptions = Services &
  HttpOptions &
  RpcOptions &
  RateLimitOptions &
  HealthOptions &
  MetricsOptions &
  NetworkOptions;

const PATHS: readonly [path: string, dialect: Dialect][] = [
  ["/api", "blockscout"],
  ["/api/v1", "blockscout"],
  ["/v2/api", "etherscan"],
];
const RPC_PATHS = ["/api/eth-rpc", "/api/v1/eth-rpc"];

/** Builds the HTTP server; it does not listen. Closing it waits for the requests that run. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = createHttp(options);
  const refuseWhileLoading = createLoadingGuard(options.sql);
  const limiter = createRateLimiter(options);
  addActions(app, options, refuseWhileLoading, limiter);
  addRpc(app, options, refuseWhileLoading, limiter);
  addHealth(app, options);
  addMetrics(app, options);
  addPages(app, options);
  addDocumentation(app, options);
  return app;
}

/** Builds the HTTP server of a process that serves no API: its health and its metrics. */
export function createOperationsServer(
  options: HttpOptions & HealthOptions & MetricsOptions,
): FastifyInstance {
  const app = createHttp(options);
  addHealth(app, options);
  addMetrics(app, options);
  return app;
}

function addActions(
  app: FastifyInstance,
  services: Services & HttpOptions,
  guard: LoadingGuard,
  limiter: RateLimiter,
): void {
  const { requestTimeoutMs } = services;
  const dispatch = createDispatch(services, guard);
  const answerIn =
    (dialect: Dialect): RouteHandlerMethod =>
    async (request, reply) => {
      const parsing = parseRequest(request);
      const refused = await limiter.admitBody(request, reply, parsing);
      if (refused) return send(reply, refused);
      const parsed = await parsing;
      const { module, action } = findAction(parsed.input);
      request.actionName = `${module}/${action.name}`;
      const answering = dispatch(action, parsed, dialect);
      return send(reply, await inTime(answering, requestTimeoutMs));
    };
  for (const [path, dialect] of PATHS) {
    app.get(path, { onRequest: limiter.admit }, answerIn(dialect));
  }
  // In a scope of its own: the plugin costs every request of its scope.
  app.register((bodies, _options, done) => {
    bodies.register(multipart, {
      limits: { fieldSize: BODY_LIMIT, fileSize: BODY_LIMIT, parts: MULTIPART_PARTS },
    });
    for (const [path, dialect] of PATHS) {
      bodies.post(path, { onRequest: limiter.admitUnlessBody }, answerIn(dialect));
    }
    done();
  });
}

function addRpc(
  app: FastifyInstance,
  options: Services & RpcOptions,
  guard: LoadingGuard,
  limiter: RateLimiter,
): void {
  const answerRpc = createRpcHandler(options, guard);
  for (const path of RPC_PATHS) {
    app.post(path, { onRequest: limiter.admit }, async (request, reply) => {
      const body = parseRpcBody(request);
      return send(reply, body ? await answerRpc(body.json) : parseErrorAnswer());
    });
    // Of the explorer's actions none is here, yet the reference asks for their names first.
    app.get(path, async (request, reply) => {
      const { input } = await parseRequest(request);
      namesIn(input);
      return send(reply, refusal(404, "Not found", request));
    });
  }
}
