import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that may wait for their answers; those that have been read with them come in addition. */
const MOST_UNANSWERED = 32;

/**
 * Reads no more from a connection whose pipelined requests wait for their answers: Node reads on, however many there are.
 * Gives what ends a connection once the requests that have arrived whole are answered, and says whether there are any.
 */
export function boundUnanswered(server: Server): (socket: Socket) => boolean {
  const unanswered = new WeakMap<Socket, Set<IncomingMessage>>();
  const requestsOf = (socket: Socket) => unanswered.get(socket) ?? new Set<IncomingMessage>();
  const isFull = (socket: Socket) => requestsOf(socket).size >= MOST_UNANSWERED;
  const isAnswerDue = (socket: Socket) => [...requestsOf(socket)].some(({ complete }) => complete);
  const ending = new WeakSet<Socket>();
  server.on("connection", (socket: Socket) => {
    unanswered.set(socket, new Set());
    // Node resumes it with the end of every request.
    socket.on("resume", () => {
      if (isFull(socket) || ending.has(socket)) socket.pause();
    });
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    requestsOf(socket).add(request);
    if (isFull(socket)) socket.pause();
    response.once("close", () => {
      requestsOf(socket).delete(request);
      if (ending.has(socket)) {
        if (!isAnswerDue(socket)) socket.destroySoon();
      } else if (socket.isPaused() && !isFull(socket)) socket.resume();
    });
  });
  return (socket) => {
    if (!isAnswerDue(socket)) return false;
    ending.add(socket);
    socket.pause();
    return true;
  };
}
