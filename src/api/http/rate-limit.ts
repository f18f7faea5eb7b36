import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { RequestError } from "../../core/errors.ts";
import type { ProcessMetrics } from "../../telemetry/process-metrics.ts";
import { type Answer, send } from "./answer.ts";
import { networkOf } from "./client-network.ts";
import { type Input, lookUp, type ParsedRequest } from "./input/form.ts";
import { queryInput } from "./input/request.ts";

export interface RateLimitOptions {
  metrics: ProcessMetrics;
  /** Most requests of one address per minute, an IPv6 network of 64 bits counting as one; 0 for no limit. */
  rateLimit: number;
  /** Keys of clients that are counted by key instead. */
  apiKeys: readonly string[];
  /** Most requests of one key per minute. */
  apiKeyRateLimit: number;
}

/** A client's use of its rate limit in the current window. */
export interface RateUsage {
  requests: number;
  limit: number;
  /** Until the window ends. */
  resetMs: number;
}

type RefusalPage = (request: FastifyRequest, seconds: number) => Answer | undefined;

const KEY_PREFIX = "key ";
const WINDOW_MS = 60_000;
/** Most clients in memory; above it, the oldest of the window are dropped. */
const MAXIMUM_CLIENTS = 100_000;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Creates the limiter of a server. It counts requests by client in fixed windows of a minute, for this process alone.
 * Source: docs/wire.md, "Rate limits".
 */
export function createRateLimiter(options: RateLimitOptions) {
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

  function decide(request: FastifyRequest, reply: FastifyReply, key: string | undefined) {
    const limit = key === undefined ? rateLimit : apiKeyRateLimit;
    const requests = count(key === undefined ? networkOf(request) : KEY_PREFIX + key);
    const resetMs = Math.ceil(windowEnd - performance.now());
    reply.headers({
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(Math.max(0, limit - requests)),
      "x-ratelimit-reset": String(resetMs),
    });
    if (requests <= limit) return undefined;
    metrics.rateLimited.inc({ client: key === undefined ? "address" : "key" });
    const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000));
    return new RequestError(429, "rate-limited", "Too many requests", { retryAfterSeconds });
  }

  function knownKey(key: unknown): string | undefined {
    return typeof key === "string" && keys.has(key) ? key : undefined;
  }

  function keyBeforeBody(request: FastifyRequest): string | undefined {
    if (keys.size === 0) return undefined;
    return (
      knownKey(request.headers["x-api-key"]) ?? knownKey(lookUp(queryInput(request), "apikey"))
    );
  }

  const admitIn =
    (bodyMayNameKey: boolean, page?: RefusalPage): onRequestHookHandler =>
    (request, reply, done) => {
      if (rateLimit === 0) return done();
      const key = keyBeforeBody(request);
      if (bodyMayNameKey && key === undefined && keys.size > 0) {
        undecided.add(request);
        return done();
      }
      const refused = decide(request, reply, key);
      const seconds = refused?.retryAfterSeconds;
      const shown = seconds === undefined ? undefined : page?.(request, seconds);
      if (shown) void send(reply.header("retry-after", String(seconds)), shown);
      else done(refused);
    };

  return {
    /** Returns the identity of the client, even without a limit: its key, else its address or network. */
    clientOf(request: FastifyRequest, input: Input): string {
      const key = keyBeforeBody(request) ?? knownKey(lookUp(input, "apikey"));
      return key === undefined ? networkOf(request) : KEY_PREFIX + key;
    },
    /** Returns a client's use of its rate limit; undefined without one. */
    usageOf(client: string): RateUsage | undefined {
      if (rateLimit === 0) return undefined;
      const limit = client.startsWith(KEY_PREFIX) ? apiKeyRateLimit : rateLimit;
      const resetMs = Math.max(0, windowEnd - performance.now());
      return { requests: Math.min(limit, counts.get(client) ?? 0), limit, resetMs };
    },
    /** Counts a request; refuses it above the limit. */
    admit: admitIn(false),
    /** As `admit`, for pages: `page` renders the refusal from the seconds to wait. */
    admitPage: (page: RefusalPage) => admitIn(false, page),
    /** As `admit`, but leaves a request without a key to `admitBody`: its body may hold one. */
    admitUnlessBody: admitIn(true),
    /** Counts a request left by `admitUnlessBody`. Throws `RequestError` above the limit. */
    async admitBody(request: FastifyRequest, reply: FastifyReply, parsing: Promise<ParsedRequest>) {
      if (!undecided.delete(request)) return;
      // An unreadable body counts as well.
      const key = await parsing.then(({ input }) => lookUp(input, "apikey")).catch(() => undefined);
      const refused = decide(request, reply, knownKey(key));
      if (refused) throw refused;
    },
  };
}
