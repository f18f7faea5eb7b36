import Fastify from "fastify";

// Entry of a process that serves the least that Fastify can: one route with a constant answer.

const app = Fastify();
app.get("/", (_request, reply) => reply.type("application/json").send('{"status":"1"}'));
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.(app.server.address());
process.on("disconnect", () => process.exit());
