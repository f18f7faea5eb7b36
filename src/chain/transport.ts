import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Pool } from "undici";
import type { NodeName, RpcCall } from "./chain.ts";
import {
  errorOfRefusedBatch,
  errorOfStatus,
  errorOfTransport,
  NodeError,
  type RpcErrorObject,
} from "./errors.ts";
import { basicAuthorization, createRedactor, isLoopback } from "./node-url.ts";

const unzip = promisify(gunzip);

/** What the node answered to one call, as it stands. */
export type RpcAnswer = { result: unknown } | { error: RpcErrorObject };

export interface TransportOptions {
  url: URL;
  name: NodeName;
  requestTimeoutMs: number;
  maxResponseBytes: number;
}

/** JSON-RPC over HTTP to one node. */
export interface Transport {
  /**
   * Sends the calls in one HTTP request (as a batch when there are several) and gives one answer per call, in order.
   * Throws `NodeError` when the exchange as a whole failed. Tries once.
   */
  exchange(calls: readonly RpcCall[], signal: AbortSignal): Promise<RpcAnswer[]>;
  /** The text without any secret part of the URL (user, password, path, query). */
  redact(text: string): string;
  close(): Promise<void>;
}

/** Creates the transport to one URL; its connections are opened when needed and kept. */
export function createTransport(options: TransportOptions): Transport {
  const { url, name } = options;
  const redact = createRedactor(url);
  const pool = new Pool(url.origin, {
    // The bound of a whole exchange is a timer of ours; undici's are about single phases of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.requestTimeoutMs },
    keepAliveTimeout: 30_000,
    maxResponseSize: options.maxResponseBytes,
  });
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...basicAuthorization(url),
  };
  // Packing costs both ends more than the wire does, unless the wire is a real one.
  if (!isLoopback(url)) headers["accept-encoding"] = "gzip";
  let lastId = 0;

  async function post(body: string, subject: string, signal: AbortSignal): Promise<Reply> {
    const controller = new AbortController();
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, options.requestTimeoutMs);
    const abort = (): void => controller.abort();
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      const response = await pool.request({
        method: "POST",
        path: url.pathname + url.search,
        headers,
        body,
        signal: controller.signal,
      });
      return {
        status: response.statusCode,
        retryAfter: single(response.headers["retry-after"]),
        contentType: single(response.headers["content-type"]),
        text:
          response.headers["content-encoding"] === "gzip"
            ? String(
                await unzip(await response.body.bytes(), {
                  maxOutputLength: options.maxResponseBytes,
                }),
              )
            : await response.body.text(),
      };
    } catch (thrown) {
      if (signal.aborted) throw new NodeError("aborted", `${subject}: given up`);
      if (timedOut) {
        throw new NodeError(
          "timeout",
          `${subject}: no answer within ${options.requestTimeoutMs} ms`,
        );
      }
      throw errorOfTransport(subject, thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  return {
    redact,
    async exchange(calls, signal) {
      const firstId = lastId + 1;
      lastId += calls.length;
      const requests = calls.map(({ method, params }, index) => ({
        jsonrpc: "2.0",
        id: firstId + index,
        method,
        params,
      }));
      const subject = `${name} ${methodOf(calls)}`;
      const body = JSON.stringify(requests.length === 1 ? requests[0] : requests);
      return readReply(await post(body, subject, signal), subject, firstId, calls.length);
    },
    close: () => pool.destroy(),
  };
}

/** The method of the calls, `batch` when they differ. */
export function methodOf(calls: readonly RpcCall[]): string {
  const method = calls[0]?.method;
  return method !== undefined && calls.every((call) => call.method === method) ? method : "batch";
}

interface Reply {
  status: number;
  retryAfter: string | undefined;
  contentType: string | undefined;
  text: string;
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

/** Answers in the order of the ids `firstId`, `firstId + 1`, …; throws when they do not stand there exactly once each. */
function readReply(reply: Reply, subject: string, firstId: number, count: number): RpcAnswer[] {
  const refused = errorOfStatus(subject, reply.status, reply.retryAfter);
  if (refused) throw refused;
  let answer: unknown;
  try {
    answer = JSON.parse(reply.text);
  } catch {
    throw reply.status >= 400
      ? new NodeError("unavailable", `${subject}: HTTP ${reply.status}`)
      : new NodeError("bad-answer", `${subject}: answered ${describe(reply)} instead of JSON`);
  }
  const entries = Array.isArray(answer) ? answer : [answer];
  if (entries.length < count && count > 1) {
    const error: unknown = entries[0]?.error;
    if (entries.length === 1 && isErrorObject(error)) throw errorOfRefusedBatch(subject, error);
  }
  if (entries.length !== count) {
    throw new NodeError("bad-answer", `${subject}: ${entries.length} answers to ${count} calls`);
  }
  const answers = new Array<RpcAnswer>(count);
  for (const entry of entries) {
    const index = Number(entry?.id) - firstId;
    // A refused single request may come back without its id (JSON-RPC 2.0, section 5).
    const place = count === 1 && entry?.id === null && isErrorObject(entry.error) ? 0 : index;
    if (!(place >= 0 && place < count) || answers[place] !== undefined) {
      throw new NodeError("bad-answer", `${subject}: an answer has an id that was not asked for`);
    }
    if (isErrorObject(entry.error)) answers[place] = { error: entry.error };
    else if (entry.result !== undefined) answers[place] = entry;
    else throw new NodeError("bad-answer", `${subject}: an answer has no result and no error`);
  }
  return answers;
}

function describe({ text, contentType }: Reply): string {
  if (text === "") return "nothing";
  return /html/i.test(contentType ?? "") || /^\s*</.test(text) ? "HTML" : "something broken";
}

function isErrorObject(error: unknown): error is RpcErrorObject {
  return (
    typeof error === "object" &&
    error !== null &&
    typeof (error as RpcErrorObject).code === "number" &&
    typeof (error as RpcErrorObject).message === "string"
  );
}
