import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  RouteHandlerMethod,
} from "fastify";
import {
  createRpcHandler,
  parseErrorAnswer,
  parseRpcBody,
  type RpcHandler,
  type RpcOptions,
} from "../eth-rpc/handle.ts";
import { createDispatch, type Dispatch, type DispatchOptions } from "../explorer/dispatch.ts";
import type { Dialect } from "../explorer/envelope.ts";
import { fileFormatOf, LONGEST_FILE_MS } from "../explorer/list-file.ts";
import { addRestVerification } from "../explorer/modules/contract/verification/rest.ts";
import { findAction, findActionOfPath, namesIn, namesSubmission } from "../explorer/registry.ts";
import { endOf, knownTags, send, sendTagged } from "../http/answer.ts";
import { unknownPath } from "../http/failures.ts";
import { createHttp, type HttpOptions } from "../http/http.ts";
import { type Input, lookUp } from "../http/input/form.ts";
import { addMultipart } from "../http/input/multipart.ts";
import { parseRequest, queryInput } from "../http/input/request.ts";
import { createRateLimiter, type RateLimiter, type RateLimitOptions } from "../http/rate-limit.ts";
import { addMcp, type OriginOptions } from "../mcp/endpoint.ts";
import { addDocumentation, addGuides, type GuideOptions } from "../openapi/document.ts";
import { addHealth, type HealthOptions } from "../ops/health.ts";
import { addMetrics, countAnswers, type MetricsOptions } from "../ops/metrics.ts";
import { createOtsHandler } from "../ots/methods.ts";
import { addSourcify } from "../sourcify/routes.ts";
import { addChainList, chooseChain, listChains } from "./chains.ts";
import { addEvents } from "./events.ts";
import { createFront } from "./front.ts";
import { type ChainsOption, decideChain } from "./served-chain.ts";

export type ServerOptions = HttpOptions &
  ChainsOption &
  RpcOptions &
  RateLimitOptions &
  HealthOptions &
  OriginOptions &
  GuideOptions &
  DispatchOptions &
  MetricsOptions & {
    /** The server's URL for clients, without a slash at the end. */
    publicUrl: string | undefined;
    /** True if another server has the metrics and the whole health report. */
    operationsApart: boolean;
  };

const PATHS: readonly [path: string, dialect: Dialect][] = [
  ["/api", "blockscout"],
  ["/api/v1", "blockscout"],
  ["/v2/api", "etherscan"],
  ["/api/:module/:action", "blockscout"],
  ["/v2/api/:module/:action", "etherscan"],
];
const RPC_PATHS = ["/api/eth-rpc", "/api/v1/eth-rpc"];

/** The handlers of actions and of JSON-RPC, for routes that combine several answers. */
export interface Answerers {
  dispatch: Dispatch;
  answerRpc: RpcHandler;
}

/** Adds routes from the composition, such as the pages. */
type AddRoutes = (
  app: FastifyInstance,
  options: ServerOptions,
  limiter: RateLimiter,
  answerers: Answerers,
) => void;

/** Creates the HTTP server; it does not listen. Closing it waits for the running requests. */
export function createServer(options: ServerOptions, addPages: AddRoutes): FastifyInstance {
  const app = createHttp(options, createFront(options.chains));
  const limiter = createRateLimiter(options);
  const dispatch = createDispatch(options, limiter.usageOf);
  const answerRpc = createRpcHandler(options);
  addActions(app, dispatch, limiter);
  addRpc(app, answerRpc, createOtsHandler(options), limiter);
  addRestVerification(app, limiter);
  addSourcify(app, options, limiter);
  addChainList(app, options, limiter);
  countAnswers(app, options);
  addHealth(app, options, options.operationsApart ? "public" : "whole");
  if (!options.operationsApart) addMetrics(app, options);
  addEvents(app, options, limiter, dispatch);
  addMcp(
    app,
    { ...options, dispatch, listChains: (request) => listChains(request, options) },
    limiter,
  );
  addPages(app, options, limiter, { dispatch, answerRpc });
  addDocumentation(app, options);
  addGuides(app, options);
  return app;
}

/** Creates a server for operators alone: health and metrics. */
export function createOperationsServer(
  options: HttpOptions & ChainsOption & HealthOptions & MetricsOptions,
): FastifyInstance {
  const app = createHttp(options, createFront(options.chains));
  countAnswers(app, options);
  addHealth(app, options, "whole");
  addMetrics(app, options);
  return app;
}

/** Adds the actions: `/api` serves the first chain, `/v2/api` the one in the request. */
function addActions(app: FastifyInstance, dispatch: Dispatch, limiter: RateLimiter): void {
  const answerIn =
    (dialect: Dialect): RouteHandlerMethod =>
    async (request, reply) => {
      const parsing = parseRequest(request);
      await limiter.admitBody(request, reply, parsing);
      const parsed = await parsing;
      const found = isNamed(request)
        ? findActionOfPath(request.params, parsed.input, dialect)
        : findAction(parsed.input, dialect);
      if (!found) throw unknownPath();
      const { module, action } = found;
      request.actionName = `${module}/${action.name}`;
      const client = limiter.clientOf(request, parsed.input);
      const signal = endOf(reply);
      if (fileFormatOf(action, lookUp(parsed.input, "format")))
        request.socket.setTimeout(LONGEST_FILE_MS);
      const known = knownTags(request);
      const chain = action.ofNoChain
        ? request.chains[0]
        : decideChain(
            request,
            dialect === "etherscan" ? chooseChain(request.chains, parsed) : undefined,
          );
      const answer = await dispatch(action, parsed, dialect, chain, { client, signal, known });
      return action.isSubmission || answer.file
        ? send(reply, answer)
        : sendTagged(request, reply, answer);
    };
  const takesSources = (request: FastifyRequest, names?: Input) =>
    namesSubmission(
      isNamed(request) ? new Map(Object.entries(request.params)) : (names ?? queryInput(request)),
    );
  const configIn = (dialect: Dialect): FastifyContextConfig => ({
    takesSources,
    isThere: ({ module = "", action }) =>
      action === undefined || !!findActionOfPath({ module, action }, new Map(), dialect),
  });
  for (const [path, dialect] of PATHS) {
    const options = { onRequest: limiter.admit, config: configIn(dialect) };
    app.get(path, options, answerIn(dialect));
  }
  app.register((scope, _options, done) => {
    addMultipart(scope);
    for (const [path, dialect] of PATHS) {
      const options = { onRequest: limiter.admitUnlessBody, config: configIn(dialect) };
      scope.post(path, options, answerIn(dialect));
    }
    done();
  });
}

function isNamed(
  request: FastifyRequest,
): request is FastifyRequest<{ Params: { module: string; action: string } }> {
  return (request.routeOptions.url ?? "").endsWith("/:action");
}

function addRpc(
  app: FastifyInstance,
  answerRpc: RpcHandler,
  answerOts: RpcHandler,
  limiter: RateLimiter,
): void {
  const add = (path: string, answer: RpcHandler) =>
    app.post(path, { onRequest: limiter.admit }, async (request, reply) => {
      const body = parseRpcBody(request);
      if (!body) return send(reply, parseErrorAnswer());
      const asker = { caller: limiter.clientOf(request, new Map()), signal: endOf(reply) };
      return send(reply, await answer(body.json, decideChain(request), asker));
    });
  add("/ots", answerOts);
  for (const path of RPC_PATHS) {
    add(path, answerRpc);
    // This path has no actions, yet the reference checks their names first.
    app.get(path, async (request) => {
      const { input } = await parseRequest(request);
      namesIn(input);
      throw unknownPath();
    });
  }
}
