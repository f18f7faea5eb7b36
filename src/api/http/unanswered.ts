import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that may wait for answers; the last read may bring more. */
const MOST_UNANSWERED = 32;

/** Stops reading a connection while its pipelined requests wait. Returns a client-error handler: true if it handled the error. */
export function boundUnanswered(server: Server): (error: Error, socket: Socket) => boolean {
  const unanswered = new WeakMap<Socket, Set<IncomingMessage>>();
  const requestsOf = (socket: Socket) => unanswered.get(socket) ?? new Set<IncomingMessage>();
  const isFull = (socket: Socket) => requestsOf(socket).size >= MOST_UNANSWERED;
  const isAnswerDue = (socket: Socket) => [...requestsOf(socket)].some(({ complete }) => complete);
  const ending = new WeakSet<Socket>();
  /** Connections that were paused since their last request began. */
  const heldUp = new WeakSet<Socket>();
  const furtherTime = new WeakMap<Socket, NodeJS.Timeout>();
  server.on("connection", (socket: Socket) => {
    unanswered.set(socket, new Set());
    // Node resumes it with the end of every request.
    socket.on("resume", () => {
      if (isFull(socket) || ending.has(socket)) socket.pause();
    });
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    clearTimeout(furtherTime.get(socket));
    requestsOf(socket).add(request);
    if (isFull(socket)) {
      heldUp.add(socket);
      socket.pause();
    } else heldUp.delete(socket);
    response.once("close", () => {
      requestsOf(socket).delete(request);
      if (ending.has(socket)) {
        if (!isAnswerDue(socket)) socket.destroySoon();
      } else if (socket.isPaused() && !isFull(socket)) socket.resume();
    });
  });
  /** Gives a request its time limit once more, since Node's included the pause. */
  const allowFurtherTime = (error: Error, socket: Socket) => {
    if (!isFull(socket)) heldUp.delete(socket);
    const arriving = [...requestsOf(socket)].find(({ complete }) => !complete);
    const blame = () => {
      if (!arriving?.complete) server.emit("clientError", error, socket);
    };
    furtherTime.set(socket, setTimeout(blame, server.requestTimeout).unref());
  };
  return (error: Error & { code?: string }, socket) => {
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && heldUp.has(socket)) {
      allowFurtherTime(error, socket);
      return true;
    }
    if (!isAnswerDue(socket)) return false;
    ending.add(socket);
    socket.pause();
    return true;
  };
}
