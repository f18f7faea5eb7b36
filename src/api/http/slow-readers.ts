import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { networkOf } from "./client-network.ts";

/** The kernel buffers this much, so it takes no memory of this process. */
const HARMLESS_BYTES = 64 * 1024;
/** Characters of all unread answers. */
const MOST_UNREAD = 200_000_000;

interface Unread {
  client: string;
  size: number;
  timer: NodeJS.Timeout;
}

/** Cuts off clients that read a large answer too slowly; above the bound, the client with most loses its oldest answer. */
export function cutSlowReaders(
  app: FastifyInstance,
  timeoutMs: number,
  mostUnread = MOST_UNREAD,
): void {
  /** Oldest first. */
  const unread = new Map<ServerResponse, Unread>();
  let total = 0;

  function forget(response: ServerResponse): void {
    const { size = 0, timer } = unread.get(response) ?? {};
    unread.delete(response);
    clearTimeout(timer);
    total -= size;
  }

  function cut(response: ServerResponse): void {
    forget(response);
    response.destroy();
  }

  function oldestOfLargestClient(): ServerResponse | undefined {
    const sizes = new Map<string, number>();
    for (const { client, size } of unread.values()) {
      sizes.set(client, (sizes.get(client) ?? 0) + size);
    }
    const largest = Math.max(...sizes.values());
    for (const [response, { client }] of unread) if (sizes.get(client) === largest) return response;
    return undefined;
  }

  app.addHook("onSend", (request, reply, payload, done) => {
    if (typeof payload === "string" && payload.length > HARMLESS_BYTES) {
      const { raw } = reply;
      const timer = setTimeout(() => cut(raw), timeoutMs);
      unread.set(raw, { client: networkOf(request), size: payload.length, timer });
      total += payload.length;
      raw.once("close", () => forget(raw));
      while (total > mostUnread && unread.size > 1) {
        const oldest = oldestOfLargestClient();
        if (oldest) cut(oldest);
      }
    }
    done(null, payload);
  });
}
