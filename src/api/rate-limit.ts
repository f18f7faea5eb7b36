import net from "node:net";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Metrics } from "../telemetry/metrics.ts";
import { type Answer, failed, failureAnswer } from "./envelope.ts";
import { foldFields, parseUrlEncoded } from "./form.ts";
import { dialectOf, send } from "./http.ts";
import { lookUp, type ParsedRequest } from "./input.ts";
import { queryOf } from "./request.ts";

export interface RateLimitOptions {
  metrics: Metrics;
  /** Requests that one address may make a minute, an IPv6 network of 64 bits counting as one; 0 for no limit. */
  rateLimit: number;
  /** Keys of clients that are counted by their key instead. */
  apiKeys: readonly string[];
  /** Requests that one key may make a minute. */
  apiKeyRateLimit: number;
}

/** Counts requests by client in fixed windows of a minute, for this process alone. */
export interface RateLimiter {
  /** Counts a request, and refuses it beyond the limit. */
  admit: onRequestHookHandler;
  /** The same, but leaves a request without a key to `admitBody`: its body may hold one. */
  admitUnlessBody: onRequestHookHandler;
  /** Counts a request that was left; gives the refusal if there is one. */
  admitBody(
    request: FastifyRequest,
    reply: FastifyReply,
    parsing: Promise<ParsedRequest>,
  ): Promise<Answer | undefined>;
}

const WINDOW_MS = 60_000;
/** Clients remembered at most; beyond, those seen first in the window are forgotten. */
const MAXIMUM_CLIENTS = 100_000;
const TOO_MANY_REQUESTS = "Too many requests";
/** Clients recognise a limit by this text in `result`. */
const LIMIT_REACHED = "Max rate limit reached";

/** Creates the limiter of a server. Source: the wire contract, common rules, sections 7 and 9. */
export function createRateLimiter(options: RateLimitOptions): RateLimiter {
  const { metrics, rateLimit, apiKeyRateLimit } = options;
  const keys = new Set(options.apiKeys);
  const counts = new Map<string, number>();
  const undecided = new WeakSet<FastifyRequest>();
  let windowEnd = 0;

  function count(client: string): number {
    const now = performance.now();
    if (now >= windowEnd) {
      counts.clear();
      windowEnd = now + WINDOW_MS;
    }
    const requests = (counts.get(client) ?? 0) + 1;
    const [first] = counts.size < MAXIMUM_CLIENTS ? [] : counts.keys();
    if (first !== undefined && requests === 1) counts.delete(first);
    counts.set(client, requests);
    return requests;
  }

  function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string | undefined,
  ): Answer | undefined {
    const limit = key === undefined ? rateLimit : apiKeyRateLimit;
    const requests = count(key === undefined ? networkOf(request) : `key ${key}`);
    const resetMs = Math.ceil(windowEnd - performance.now());
    reply.headers({
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(Math.max(0, limit - requests)),
      "x-ratelimit-reset": String(resetMs),
    });
    if (requests <= limit) return undefined;
    metrics.rateLimited.inc({ client: key === undefined ? "address" : "key" });
    reply.header("retry-after", String(Math.max(1, Math.ceil(resetMs / 1000))));
    return refusalIn(request);
  }

  function knownKey(key: unknown): string | undefined {
    return typeof key === "string" && keys.has(key) ? key : undefined;
  }

  function keyBeforeBody(request: FastifyRequest): string | undefined {
    if (keys.size === 0) return undefined;
    const query = foldFields(parseUrlEncoded(queryOf(request)));
    return knownKey(request.headers["x-api-key"]) ?? knownKey(lookUp(query, "apikey"));
  }

  const admitIn =
    (bodyMayNameKey: boolean): onRequestHookHandler =>
    (request, reply, done) => {
      if (rateLimit === 0) return done();
      const key = keyBeforeBody(request);
      if (bodyMayNameKey && key === undefined && keys.size > 0) {
        undecided.add(request);
        return done();
      }
      const refusal = decide(request, reply, key);
      if (refusal) void send(reply, refusal);
      else done();
    };

  return {
    admit: admitIn(false),
    admitUnlessBody: admitIn(true),
    async admitBody(request, reply, parsing) {
      if (!undecided.delete(request)) return undefined;
      // A body that cannot be read counts as well.
      const key = await parsing.then(({ input }) => lookUp(input, "apikey")).catch(() => undefined);
      return decide(request, reply, knownKey(key));
    },
  };
}

function refusalIn({ url }: FastifyRequest): Answer {
  const dialect = dialectOf(url);
  const failure =
    dialect === "etherscan"
      ? failed(LIMIT_REACHED, { httpStatus: 429 })
      : failed(TOO_MANY_REQUESTS, { result: LIMIT_REACHED, httpStatus: 429 });
  return failureAnswer(failure, dialect);
}

/** The IPv4 address of the client, or the 64 bits of its IPv6 address that name its network. */
function networkOf({ ip, socket }: FastifyRequest): string {
  // A proxy may have written anything.
  const address = net.isIP(ip) === 0 ? (socket.remoteAddress ?? "") : ip;
  if (!net.isIPv6(address)) return address;
  const [, mapped] = /^::ffff:([\d.]+)$/i.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  const [withoutZone = ""] = address.split("%");
  const canonical = new URL(`http://[${withoutZone}]`).hostname.slice(1, -1);
  const [left = "", right = ""] = canonical.split("::");
  const [before, after] = [left, right].map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill("0");
  return [...(before ?? []), ...zeros, ...(after ?? [])].slice(0, 4).join(":");
}
