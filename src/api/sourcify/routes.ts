import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from "fastify";
import { forCaller } from "../../chain/caller-chain.ts";
import { RequestError } from "../../core/errors.ts";
import { isRecord } from "../../core/json/record.ts";
import { MOST_TOKENS } from "../../verification/inputs/compiler-input.ts";
import { endOf, send } from "../http/answer.ts";
import type { HttpOptions } from "../http/http.ts";
import { lookUp } from "../http/input/form.ts";
import { mediaTypeOf, parseJson, queryInput } from "../http/input/request.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { createLargeAnswers, inTime, waitingInTime } from "../reading/bounds.ts";
import { requireSynchronised, resultOnOneState } from "../reading/snapshot.ts";
import { decideChain, knownChainId } from "../serving/served-chain.ts";
import { type Endpoint, SourcifyError, type SourcifyRequest } from "./endpoint.ts";
import { contractEndpoints } from "./endpoints/contracts.ts";
import { jobEndpoints, linkEndpoints } from "./endpoints/job.ts";
import { submissionEndpoints } from "./endpoints/verify.ts";

/** Every endpoint of Sourcify's dialect, in the order of the documentation. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...submissionEndpoints,
  ...jobEndpoints,
  ...contractEndpoints,
  ...linkEndpoints,
};

/** Adds Sourcify's API v2 below `/sourcify`. Source: docs/clients.md, "Sourcify". */
export function addSourcify(
  app: FastifyInstance,
  { requestTimeoutMs }: Pick<HttpOptions, "requestTimeoutMs">,
  limiter: RateLimiter,
): void {
  const answer =
    (name: string, endpoint: Endpoint): RouteHandlerMethod =>
    async (request, reply) => {
      request.actionName = `sourcify/${name}`;
      const client = limiter.clientOf(request, queryInput(request));
      const signal = endOf(reply);
      const asker = { caller: client, signal };
      const { chains } = request;
      const run = async () => {
        const query = queryInput(request);
        const asked: SourcifyRequest = {
          path: request.originalUrl.split("?", 1)[0] ?? "",
          parameters: request.params as Record<string, string>,
          query: (name) => {
            const value = lookUp(query, name);
            return typeof value === "string" && value !== "" ? value : undefined;
          },
          body: () => readBody(request),
        };
        // The chain in the path, else the endpoint's choice, else the first active one.
        const { chainId = "" } = asked.parameters;
        const wanted = /^\d{1,20}$/.test(chainId) ? BigInt(chainId) : undefined;
        const served = decideChain(
          request,
          chains.find((chain) => wanted === BigInt(knownChainId(chain) ?? -1)) ??
            (await endpoint.chainOf?.(asked, chains)) ??
            chains.find((chain) => chain.stopped() === null),
        );
        const { sql, ...services } = served;
        if (endpoint.body) await requireSynchronised(sql);
        const context = {
          ...services,
          chain: forCaller(asker, served.chain),
          verifier: waitingInTime(served.verifier, requestTimeoutMs),
          largeAnswers: createLargeAnswers(sql),
          chains,
          client,
          signal,
        };
        const { result, head } = await resultOnOneState(
          sql,
          (read) => endpoint.handle({ ...context, read }, asked),
          { asker },
        );
        return { ...result, block: head };
      };
      const answered = await inTime(run(), requestTimeoutMs);
      if (answered.location !== undefined) reply.header("location", answered.location);
      return send(reply, answered);
    };

  for (const [name, endpoint] of Object.entries(endpoints)) {
    for (const url of listUrls(endpoint)) {
      const method = endpoint.body ? "POST" : "GET";
      const config = endpoint.body ? { takesSources: () => true } : {};
      app.route({ method, url, onRequest: limiter.admit, config, handler: answer(name, endpoint) });
    }
  }
}

/** Returns the paths of an endpoint: clients may omit the slash after the base. */
function listUrls({ path }: Endpoint): string[] {
  const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const withoutSlash = /^\/(?:v2|verify-ui)\//.test(path) ? [`/sourcify${pattern.slice(1)}`] : [];
  return [`/sourcify${pattern}`, ...withoutSlash];
}

function unreadable(text: string): RequestError {
  return new RequestError(400, "bad-request", text);
}

function readBody(request: FastifyRequest): Record<string, unknown> {
  const { body } = request;
  if (mediaTypeOf(request) !== "application/json" || !Buffer.isBuffer(body)) {
    throw unreadable("The body is to be JSON, sent as application/json");
  }
  let value: unknown;
  try {
    value = parseJson(body, MOST_TOKENS);
  } catch (error) {
    if (!(error instanceof RequestError) || error.httpStatus !== 400) throw error;
    throw new SourcifyError(400, "invalid_json", "The body is not readable JSON");
  }
  if (!isRecord(value)) throw unreadable("The body is to be a JSON object");
  return value;
}
