import { Pool } from "../../core/deep-imports.ts";
import { isRecord } from "../../core/json/record.ts";
import { splitCredentials } from "../../core/secrets.ts";
import type { RpcErrorObject } from "../errors/codes.ts";
import type { CleanError } from "../errors/error-objects.ts";
import {
  errorOfAnswer,
  errorOfBatch,
  errorOfStatus,
  errorOfTransport,
  type HttpAnswer,
  NodeError,
} from "../errors/errors.ts";
import type { Outcome } from "../errors/outcomes.ts";
import type { ChainOptions, NodeName, RpcCall } from "../options.ts";
import { type BodyLimits, createAnswerReader, type ReadAnswer } from "./answer-reader.ts";
import { isLoopback } from "./node-url.ts";

/** Bytes of a siftable answer that are kept unparsed. */
const SIFTED_BYTES = 32 * 1024 * 1024;

type HttpExchangeOptions = Pick<ChainOptions, "requestTimeoutMs" | "maxResponseBytes"> & {
  url: URL;
  name: NodeName;
  cleanError: CleanError;
};

/** Creates the JSON-RPC exchange with one URL over HTTP; connections open on demand and persist. */
export function createHttpExchange(options: HttpExchangeOptions) {
  const { url, name, cleanError } = options;
  const pool = new Pool(url.origin, {
    // Our timer covers the whole exchange; undici's cover single phases.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: options.requestTimeoutMs },
    keepAliveTimeout: 30_000,
  });
  const headers: Record<string, string> = {
    "content-type": "application/json",
    ...splitCredentials(url).headers,
  };
  // On one machine compression costs more than it saves.
  if (!isLoopback(url)) headers["accept-encoding"] = "gzip";
  let lastId = 0;

  async function post(body: string, limits: BodyLimits, signal: AbortSignal, answerMs: number) {
    const { subject } = limits;
    const { answer, giveUp, handler } = createAnswerReader(limits);
    const abort = (): void => giveUp(new NodeError("aborted", `${subject}: given up`));
    const timer = setTimeout(() => {
      giveUp(new NodeError("timeout", `${subject}: no answer within ${answerMs} ms`));
    }, answerMs);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    try {
      pool.dispatch({ method: "POST", path: url.pathname + url.search, headers, body }, handler);
      return await answer;
    } catch (thrown) {
      throw thrown instanceof NodeError ? thrown : errorOfTransport(subject, thrown);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  /** Returns outcomes in the order of the ids `firstId`, `firstId + 1`, …; throws for a missing or repeated id. */
  function readReply(
    reply: ReadAnswer,
    calls: readonly RpcCall[],
    firstId: number,
    subject: string,
  ): Outcome[] {
    const http: HttpAnswer = {
      status: reply.status,
      retryAfter: single(reply.headers["retry-after"]),
    };
    // Redirects are not followed: they would send a key elsewhere.
    const failed = reply.status >= 300;
    let answer: unknown;
    try {
      answer = "read" in reply.body ? reply.body.read : JSON.parse(reply.body.text);
    } catch {
      throw failed
        ? errorOfStatus(subject, http, calls.length)
        : new NodeError("bad-answer", `${subject}: answered ${describe(reply)} instead of JSON`);
    }
    const entries = Array.isArray(answer) ? answer : [answer];
    if (
      failed &&
      !entries.every(
        (entry) => isErrorObject(entry?.error) || (isRecord(entry) && "result" in entry),
      )
    ) {
      throw errorOfStatus(subject, http, calls.length);
    }
    const refusal: unknown = entries[0]?.error;
    if (entries.length === 1 && calls.length > 1 && isErrorObject(refusal)) {
      throw errorOfBatch(subject, cleanError(refusal), http);
    }
    if (entries.length !== calls.length) {
      const counts = `${entries.length} answers to ${calls.length} calls`;
      throw new NodeError("bad-answer", `${subject}: ${counts}`);
    }
    const outcomes = new Array<Outcome>(calls.length);
    for (const entry of entries) {
      const isRefused = isErrorObject(entry?.error);
      // The error of a single request may lack its id (JSON-RPC 2.0, section 5), or have one of the gateway's.
      const isOfSingle = calls.length === 1 && isRefused && (failed || entry.id === null);
      const position = isOfSingle ? 0 : Number(entry?.id) - firstId;
      const call = calls[position];
      if (!call || outcomes[position] !== undefined) {
        throw new NodeError("bad-answer", `${subject}: an answer has an id that was not asked for`);
      }
      if (isRefused) {
        const error = cleanError(entry.error);
        outcomes[position] = { error: errorOfAnswer(`${name} ${call.method}`, error, http) };
      } else if (entry.result !== undefined) {
        outcomes[position] = { result: entry.result };
      } else {
        throw new NodeError("bad-answer", `${subject}: an answer has no result and no error`);
      }
    }
    return outcomes;
  }

  return {
    /** Sends the calls in one HTTP request; returns one outcome per call. Throws `NodeError` when the exchange failed. Tries once. */
    async exchange(
      calls: readonly RpcCall[],
      signal: AbortSignal,
      answerMs = options.requestTimeoutMs,
    ): Promise<Outcome[]> {
      const subject = `${name} ${methodOf(calls)}`;
      const firstId = lastId + 1;
      lastId += calls.length;
      const requests = calls.map(({ method, params }, index) => ({
        jsonrpc: "2.0",
        id: firstId + index,
        method,
        params,
      }));
      const body = JSON.stringify(requests.length === 1 ? requests[0] : requests);
      // All calls of a request have the same sift.
      const sift = calls[0]?.sift;
      const most = Math.min(
        sift ? SIFTED_BYTES : options.maxResponseBytes,
        options.maxResponseBytes,
      );
      const limits = { subject, most, sift: calls.length === 1 ? sift : undefined };
      const boundMs = Math.min(answerMs, options.requestTimeoutMs);
      return readReply(await post(body, limits, signal, boundMs), calls, firstId, subject);
    },
    close: (): Promise<void> => pool.destroy(),
  };
}

/** Returns the method of the calls, `batch` when they differ. */
export function methodOf(calls: readonly RpcCall[]): string {
  const method = calls[0]?.method;
  return method !== undefined && calls.every((call) => call.method === method) ? method : "batch";
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

function describe({ body, headers }: ReadAnswer): string {
  const text = "text" in body ? body.text : "";
  if (text === "") return "nothing";
  return /html/i.test(single(headers["content-type"]) ?? "") || /^\s*</.test(text)
    ? "HTML"
    : "something broken";
}

function isErrorObject(error: unknown): error is RpcErrorObject {
  return isRecord(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string";
}
