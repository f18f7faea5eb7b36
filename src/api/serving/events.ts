import type { FastifyInstance, FastifyReply } from "fastify";
import { getServedHead, type ServedHead } from "../../store/sync-state.ts";
import { jsonAnswer, send } from "../http/answer.ts";
import { networkOf } from "../http/client-network.ts";
import type { HttpOptions } from "../http/http.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { type ChainsOption, decideChain, type ServedChain } from "./served-chain.ts";

const LOOK_INTERVAL_MS = 500;
const LONGEST_SILENCE_MS = 10_000;
const MAXIMUM_LISTENERS = 1000;
/** Listeners of one client; a browser opens six connections at most. */
const MAXIMUM_OF_ONE = 50;
/** Most unread bytes of a listener; an event has some 200. */
const MAXIMUM_UNREAD_BYTES = 16_384;
const RETRY_SECONDS = 5;
const CROWDED = "Too many listeners, please poll in their place";

interface Listener {
  reply: FastifyReply;
  chain: ServedChain;
  /** Its path names the chain; else it follows the first one, even when that changes. */
  isNamed: boolean;
  client: string;
  /** Id of its last event; empty before the first. */
  lastId: string;
}

/**
 * Adds `/events`: a stream (Server-Sent Events) of published heads. Every API process reads them
 * from the database. A stream ends when its URL no longer leads to its chain: the client then
 * reconnects to the new one. Source: docs/clients.md, "Heads as they come".
 */
export function addEvents(
  app: FastifyInstance,
  { chains, requestTimeoutMs }: Pick<HttpOptions, "requestTimeoutMs"> & ChainsOption,
  limiter: RateLimiter,
): void {
  const listeners = new Set<Listener>();
  const underWay = new Set<ServedChain>();

  /** Checks each chain with listeners. */
  function look(): void {
    const served = chains();
    for (const listener of listeners) {
      const { chain, isNamed } = listener;
      if (isNamed ? !served.includes(chain) : chain !== served[0]) end(listener);
    }
    for (const chain of new Set([...listeners].map((listener) => listener.chain))) {
      void lookAt(chain);
    }
  }

  /** Reads the head of one chain, without concurrent reads: one that does not answer delays no other. */
  async function lookAt(chain: ServedChain): Promise<void> {
    if (underWay.has(chain)) return;
    underWay.add(chain);
    // The next check retries a database that does not answer.
    const head = await getServedHead(chain.sql).catch(() => undefined);
    underWay.delete(chain);
    for (const listener of listeners)
      if (head && listener.chain === chain) sendHead(listener, head);
  }

  function end(listener: Listener): void {
    listeners.delete(listener);
    listener.reply.raw.end();
  }

  const looking = setInterval(look, LOOK_INTERVAL_MS).unref();
  const heartbeat = setInterval(
    () => {
      for (const listener of listeners) write(listener, ":\n\n");
    },
    // A connection that is silent for longer is closed.
    Math.min(LONGEST_SILENCE_MS, requestTimeoutMs / 3),
  ).unref();

  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    // Otherwise a proxy buffers the events.
    "x-accel-buffering": "no",
  };
  app.head("/events", { onRequest: limiter.admit }, (_request, reply) =>
    reply.headers(headers).send(),
  );
  const options = { onRequest: limiter.admit, config: { endsWithChain: true } };
  app.get("/events", options, (request, reply) => {
    const client = networkOf(request);
    const ofClient = [...listeners].filter((listener) => listener.client === client);
    if (listeners.size >= MAXIMUM_LISTENERS || ofClient.length >= MAXIMUM_OF_ONE) {
      reply.header("retry-after", String(RETRY_SECONDS));
      return send(
        reply,
        jsonAnswer({ status: "0", message: CROWDED, result: null }, 503, { code: "busy" }),
      );
    }
    const lastId = String(request.headers["last-event-id"] ?? "");
    const chain = decideChain(request);
    const isNamed = request.url !== request.originalUrl;
    const listener: Listener = { reply, chain, isNamed, client, lastId };
    reply.hijack();
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      ...headers,
    });
    reply.raw.once("close", () => listeners.delete(listener));
    listeners.add(listener);
    write(listener, `retry: ${RETRY_SECONDS * 1000}\n\n`);
    void lookAt(listener.chain);
    return reply;
  });

  app.addHook("preClose", (done) => {
    clearInterval(heartbeat);
    clearInterval(looking);
    for (const listener of listeners) end(listener);
    done();
  });
}

function sendHead(listener: Listener, head: ServedHead): void {
  const { number, hash, timestampSeconds: timestamp, generation } = head;
  // With the generation the id is new even when a reorganisation ends at an earlier head.
  const id = `${number};${hash};${generation}`;
  if (id === listener.lastId) return;
  listener.lastId = id;
  const data = JSON.stringify({ number, hash, timestamp, generation });
  write(listener, `event: head\nid: ${id}\ndata: ${data}\n\n`);
}

function write({ reply }: Listener, text: string): void {
  if (reply.raw.writableLength > MAXIMUM_UNREAD_BYTES) reply.raw.destroy();
  else reply.raw.write(text);
}
