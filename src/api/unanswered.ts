import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that may wait for their answers; those that have been read with them come in addition. */
const MOST_UNANSWERED = 32;

/**
 * Reads no more from a connection whose pipelined requests wait for their answers: Node reads on, however many there are.
 * Gives whether a connection owes an answer to a request that has arrived whole.
 */
export function boundUnanswered(server: Server): (socket: Socket) => boolean {
  const unanswered = new WeakMap<Socket, Set<IncomingMessage>>();
  const requestsOf = (socket: Socket) => unanswered.get(socket) ?? new Set<IncomingMessage>();
  const isFull = (socket: Socket) => requestsOf(socket).size >= MOST_UNANSWERED;
  server.on("connection", (socket: Socket) => {
    unanswered.set(socket, new Set());
    // Node resumes it with the end of every request.
    socket.on("resume", () => {
      if (isFull(socket)) socket.pause();
    });
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    requestsOf(socket).add(request);
    if (isFull(socket)) socket.pause();
    response.once("close", () => {
      requestsOf(socket).delete(request);
      if (socket.isPaused() && !isFull(socket)) socket.resume();
    });
  });
  return (socket) => [...requestsOf(socket)].some(({ complete }) => complete);
}
