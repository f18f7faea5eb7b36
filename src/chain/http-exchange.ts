import { createRequire } from "node:module";
import type { Pool as UndiciPool } from "undici";
import { splitCredentials } from "../core/credentials.ts";
import { isRecord } from "../core/record.ts";
import { AnswerReader, type ReadAnswer } from "./answer-reader.ts";
import type { NodeName, RpcCall } from "./chain.ts";
import type { CleanError } from "./error-objects.ts";
import {
  errorOfBatch,
  errorOfStatus,
  errorOfTransport,
  type HttpAnswer,
  NodeError,
  type RpcErrorObject,
} from "./errors.ts";
import { isLoopback } from "./node-url.ts";

// Alone, because each chain's thread loads it: undici as a whole takes four times the memory (docs/benchmarks.md).
const require = createRequire(import.meta.url);
const Pool: typeof UndiciPool = require("undici/lib/dispatcher/pool.js");

/** So much of an answer that can be sifted is held as it came. */
const SIFTED_BYTES = 32 * 1024 * 1024;

/** What the node answered to one call: a result as it stands, an error without what names the node. */
export type RpcAnswer = { result: unknown } | { error: RpcErrorObject; http: HttpAnswer };

export interface HttpExchangeOptions {
  url: URL;
  name: NodeName;
  requestTimeoutMs: number;
  maxResponseBytes: number;
  cleanError: CleanError;
}

/** JSON-RPC over HTTP to one node. */
export interface HttpExchange {
  /**
   * Sends the calls in one HTTP request (as a batch when there are several) and gives one answer per call, in order.
   * Throws `NodeError` when the exchange as a whole failed, or takes longer than `answerMs`. Tries once.
   */
  exchange(
    calls: readonly RpcCall[],
    signal: AbortSignal,
    answerMs?: number | undefined,
  ): Promise<RpcAnswer[]>;
  close(): Promise<void>;
}

/** Creates the exchange with one URL; its connections are opened when needed and kept. */
export function createHttpExchange(options: HttpExchangeOptions): HttpExchange {
  const { url, name, cleanError } = options;
  const pool = new Pool(url.origin, {
    // Our timer bounds the whole exchange; undici's timers bound single phases of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.requestTimeoutMs },
    keepAliveTimeout: 30_000,
  });
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...splitCredentials(url).headers,
  };
  // On the same machine compression costs more than it saves.
  if (!isLoopback(url)) headers["accept-encoding"] = "gzip";
  let lastId = 0;

  async function post(
    body: string,
    { subject, sift, count, answerMs }: Asked,
    signal: AbortSignal,
  ): Promise<ReadAnswer> {
    const reader = new AnswerReader({
      most: sift ? Math.min(SIFTED_BYTES, options.maxResponseBytes) : options.maxResponseBytes,
      sift: count === 1 ? sift : undefined,
      subject,
    });
    const abort = (): void => reader.giveUp(new NodeError("aborted", `${subject}: given up`));
    const timer = setTimeout(() => {
      reader.giveUp(new NodeError("timeout", `${subject}: no answer within ${answerMs} ms`));
    }, answerMs);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      pool.dispatch({ method: "POST", path: url.pathname + url.search, headers, body }, reader);
      return await reader.answer;
    } catch (thrown) {
      throw thrown instanceof NodeError ? thrown : errorOfTransport(subject, thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  return {
    async exchange(calls, signal, answerMs = options.requestTimeoutMs) {
      const firstId = lastId + 1;
      lastId += calls.length;
      const requests = calls.map(({ method, params }, index) => ({
        jsonrpc: "2.0",
        id: firstId + index,
        method,
        params,
      }));
      const body = JSON.stringify(requests.length === 1 ? requests[0] : requests);
      const asked: Asked = {
        subject: `${name} ${methodOf(calls)}`,
        cleanError,
        firstId,
        count: calls.length,
        sift: calls[0]?.sift,
        answerMs: Math.min(answerMs, options.requestTimeoutMs),
      };
      return readReply(await post(body, asked, signal), asked);
    },
    close: () => pool.destroy(),
  };
}

/** The method of the calls, `batch` when they differ. */
export function methodOf(calls: readonly RpcCall[]): string {
  const method = calls[0]?.method;
  return method !== undefined && calls.every((call) => call.method === method) ? method : "batch";
}

interface Asked {
  subject: string;
  cleanError: CleanError;
  firstId: number;
  count: number;
  /** Of the first call, which the others are like. */
  sift: RpcCall["sift"];
  answerMs: number;
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

/** Answers in the order of the ids `firstId`, `firstId + 1`, …; throws when an id is missing or there twice. */
function readReply(reply: ReadAnswer, { subject, cleanError, firstId, count }: Asked): RpcAnswer[] {
  const http: HttpAnswer = {
    status: reply.status,
    retryAfter: single(reply.headers["retry-after"]),
  };
  // A redirect is not followed: it would carry a key elsewhere.
  const failed = reply.status >= 300;
  let answer: unknown;
  try {
    answer = "read" in reply.body ? reply.body.read : JSON.parse(reply.body.text);
  } catch {
    throw failed
      ? errorOfStatus(subject, http)
      : new NodeError("bad-answer", `${subject}: answered ${describe(reply)} instead of JSON`);
  }
  const entries = Array.isArray(answer) ? answer : [answer];
  if (failed && !entries.every((entry) => isErrorObject(entry?.error) || isResult(entry))) {
    throw errorOfStatus(subject, http);
  }
  if (entries.length < count && count > 1) {
    const error: unknown = entries[0]?.error;
    if (entries.length === 1 && isErrorObject(error)) {
      throw errorOfBatch(subject, cleanError(error), http);
    }
  }
  if (entries.length !== count) {
    throw new NodeError("bad-answer", `${subject}: ${entries.length} answers to ${count} calls`);
  }
  const answers = new Array<RpcAnswer>(count);
  for (const entry of entries) {
    const index = Number(entry?.id) - firstId;
    // The error of a single request may come without its id (JSON-RPC 2.0, section 5), or with an id of the gateway's.
    const refused = count === 1 && isErrorObject(entry?.error);
    const place = refused && (failed || entry.id === null) ? 0 : index;
    if (!(place >= 0 && place < count) || answers[place] !== undefined) {
      throw new NodeError("bad-answer", `${subject}: an answer has an id that was not asked for`);
    }
    if (isErrorObject(entry.error)) answers[place] = { error: cleanError(entry.error), http };
    else if (entry.result !== undefined) answers[place] = entry;
    else throw new NodeError("bad-answer", `${subject}: an answer has no result and no error`);
  }
  return answers;
}

function describe({ body, headers }: ReadAnswer): string {
  const text = "text" in body ? body.text : "";
  if (text === "") return "nothing";
  return /html/i.test(single(headers["content-type"]) ?? "") || /^\s*</.test(text)
    ? "HTML"
    : "something broken";
}

function isResult(entry: unknown): boolean {
  return isRecord(entry) && "result" in entry;
}

function isErrorObject(error: unknown): error is RpcErrorObject {
  return (
    isRecord(error) && typeof error["code"] === "number" && typeof error["message"] === "string"
  );
}
