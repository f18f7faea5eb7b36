import type { FastifyInstance } from "fastify";

/** The kernel buffers this much, so it takes no memory of this process. */
const HARMLESS_BYTES = 64 * 1024;

/**
 * Cuts off clients that take too long to read a large answer, which stays in memory until then. Node's own time limits
 * handle clients that send slowly, or read nothing at all.
 */
export function cutSlowReaders(app: FastifyInstance, timeoutMs: number): void {
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (typeof payload === "string" && payload.length > HARMLESS_BYTES) {
      const timer = setTimeout(() => reply.raw.destroy(), timeoutMs);
      reply.raw.once("close", () => clearTimeout(timer));
    }
    done(null, payload);
  });
}
