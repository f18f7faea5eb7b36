import type { FastifyInstance } from "fastify";

/** The kernel takes so much at once: nothing of it stays in this process. */
const HARMLESS_BYTES = 64 * 1024;

/**
 * Cuts off clients that take too long to read a large answer, which stays in memory meanwhile. Clients that send
 * slowly, or read nothing at all, are left to the time limits of Node's server.
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
