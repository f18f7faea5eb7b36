import { once } from "node:events";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { RequestError } from "../../core/errors.ts";
import type { Address } from "../../core/evm/address.ts";
import { getServedHead, type ServedHead } from "../../store/sync-state.ts";
import type { Dispatch } from "../explorer/dispatch.ts";
import { address, listItems } from "../explorer/params.ts";
import { jsonAnswer, send } from "../http/answer.ts";
import { networkOf } from "../http/client-network.ts";
import type { HttpOptions } from "../http/http.ts";
import { lookUp } from "../http/input/form.ts";
import { queryInput } from "../http/input/request.ts";
import type { RateLimiter } from "../http/rate-limit.ts";
import { createActivity, type Follower, readId } from "./activity.ts";
import { type ChainsOption, decideChain, type ServedChain } from "./served-chain.ts";

const LOOK_INTERVAL_MS = 500;
const LONGEST_SILENCE_MS = 10_000;
const MAXIMUM_LISTENERS = 1000;
/** Listeners of one client; a browser opens six connections at most. */
const MAXIMUM_OF_ONE = 50;
/** Most unread bytes of a listener; an event has some 200. */
const MAXIMUM_UNREAD_BYTES = 16_384;
/** Most unread bytes of a listener to addresses, whose rows may be large. */
const MAXIMUM_UNREAD_ROWS = 1_048_576;
const MAXIMUM_OF_LISTENER = 10;
const MAXIMUM_ADDRESSES = 1000;
const RETRY_SECONDS = 5;
const CROWDED = "Too many listeners, please poll in their place";
const MALFORMED = "Invalid address format";
const TOO_MANY = `A maximum of ${MAXIMUM_OF_LISTENER} addresses is allowed`;
const FORM = address({ invalid: MALFORMED });

interface Listener {
  reply: FastifyReply;
  chain: ServedChain;
  /** True if its path names the chain; else it follows the first chain, even when that changes. */
  isNamed: boolean;
  client: string;
  /** Id of its last event; empty before the first. */
  lastId: string;
  /** Absent without addresses. */
  follower?: Follower;
}

/**
 * Adds `/events`: a stream (Server-Sent Events) of published heads, and of new rows of addresses. Every API process reads them
 * from the database. A stream ends when its URL no longer leads to its chain: the client then
 * reconnects to the new one. Source: docs/clients.md, "Heads as they come".
 */
export function addEvents(
  app: FastifyInstance,
  { chains, requestTimeoutMs }: Pick<HttpOptions, "requestTimeoutMs"> & ChainsOption,
  limiter: RateLimiter,
  dispatch: Dispatch,
): void {
  const listeners = new Set<Listener>();
  const followers = () => [...listeners].flatMap(({ follower }) => follower ?? []);
  const follow = createActivity(dispatch, followers);
  // A connection that is silent for longer is closed.
  const patienceMs = Math.min(LONGEST_SILENCE_MS, requestTimeoutMs / 3);
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
    for (const listener of listeners) {
      if (!head || listener.chain !== chain) continue;
      if (listener.follower) void follow(listener.follower, head);
      else sendHead(listener, head);
    }
  }

  function end(listener: Listener): void {
    listeners.delete(listener);
    listener.reply.raw.end();
  }

  const looking = setInterval(look, LOOK_INTERVAL_MS).unref();
  const heartbeat = setInterval(() => {
    for (const listener of listeners) {
      const hasUnread = listener.reply.raw.writableLength > 0;
      if (!listener.follower || !hasUnread) write(listener, ":\n\n");
    }
  }, patienceMs).unref();

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
    const addresses = addressesOf(request);
    const ofClient = [...listeners].filter((listener) => listener.client === client);
    const followed = followers().reduce((sum, each) => sum + each.addresses.length, 0);
    if (
      listeners.size >= MAXIMUM_LISTENERS ||
      ofClient.length >= MAXIMUM_OF_ONE ||
      followed + addresses.length > MAXIMUM_ADDRESSES
    ) {
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
    if (addresses.length > 0) listener.follower = followerOf(listener, addresses, patienceMs);
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

/** Returns the addresses that a request listens to; none without the parameter. Throws `RequestError`. */
function addressesOf(request: FastifyRequest): Address[] {
  const sent = lookUp(queryInput(request), "address");
  if (sent === undefined) return [];
  const items = typeof sent === "string" ? listItems(sent) : [];
  const parsed = items.map((item) => FORM.safeParse(item));
  if (items.length > MAXIMUM_OF_LISTENER) throw refuse(TOO_MANY);
  if (items.length === 0 || parsed.some(({ success }) => !success)) throw refuse(MALFORMED);
  return [...new Set(parsed.flatMap(({ data }) => data ?? []))];
}

function refuse(text: string): RequestError {
  return new RequestError(400, "invalid-parameter", text, { parameter: "address" });
}

function followerOf(
  listener: Listener,
  addresses: readonly Address[],
  patienceMs: number,
): Follower {
  const { chain, client, lastId, reply } = listener;
  return {
    ...{ chain, client, addresses, isBusy: false, isPartial: false },
    last: lastId === "" ? undefined : readId(lastId),
    send: async (event, data, id) => {
      const line = id === undefined ? "" : `id: ${id}\n`;
      reply.raw.write(`event: ${event}\n${line}data: ${JSON.stringify(data)}\n\n`);
      if (reply.raw.writableLength > MAXIMUM_UNREAD_ROWS) await untilRead(reply, patienceMs);
      if (reply.raw.destroyed) throw new Error("the listener has left");
    },
    sendHead: (head) => sendHead(listener, head),
  };
}

/** Waits until a listener has read all, and cuts it off when it does not. */
async function untilRead({ raw }: FastifyReply, patienceMs: number): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs);
  const either = Promise.race([once(raw, "drain", { signal }), once(raw, "close", { signal })]);
  await either.catch(() => raw.destroy());
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

function write({ reply, follower }: Listener, text: string): void {
  const most = follower ? MAXIMUM_UNREAD_ROWS : MAXIMUM_UNREAD_BYTES;
  if (reply.raw.writableLength > most) reply.raw.destroy();
  else reply.raw.write(text);
}
