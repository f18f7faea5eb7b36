import { once } from "node:events";
import net from "node:net";

/** One kept connection to an HTTP server: the cheapest client there is, so that the server is what is measured. */
export interface HttpClient {
  /** The body of the answer, which has a content length. One question at a time. Throws on any status but 200. */
  get(path: string): Promise<Buffer>;
  close(): void;
}

const HEAD_END = "\r\n\r\n";
const OK = "HTTP/1.1 200";

/** Connects to `http://host:port`. */
export async function openHttpClient(url: string): Promise<HttpClient> {
  const { hostname, port, host } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  let received: Buffer[] = [];
  let length = 0;
  let answerLength: number | undefined;
  let headLength = 0;
  let waiting: PromiseWithResolvers<Buffer> | undefined;

  socket.on("data", (chunk: Buffer) => {
    received.push(chunk);
    length += chunk.length;
    answerLength ??= readHead(Buffer.concat(received));
    if (answerLength === undefined || length < answerLength) return;
    const answer = Buffer.concat(received);
    received = [];
    length = 0;
    answerLength = undefined;
    if (answer.toString("latin1", 0, OK.length) === OK)
      waiting?.resolve(answer.subarray(headLength));
    else waiting?.reject(new Error(answer.toString()));
  });
  socket.on("error", (error) => waiting?.reject(error));
  socket.on("close", () => waiting?.reject(new Error("the server closed the connection")));

  /** Length of the whole answer once its head has arrived. */
  function readHead(bytes: Buffer): number | undefined {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return undefined;
    headLength = end + HEAD_END.length;
    const head = bytes.toString("latin1", 0, headLength);
    return headLength + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  }

  return {
    get(path) {
      waiting = Promise.withResolvers();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
