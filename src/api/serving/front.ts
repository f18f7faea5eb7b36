import type { FastifyRequest } from "fastify";
import { RequestError } from "../../core/errors.ts";
import { type Dialect, failed, failureAnswer } from "../explorer/envelope.ts";
import { parameterNames } from "../explorer/registry.ts";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import { QUERY_TIMEOUT, QueryTimedOut, requestErrorOf } from "../http/failures.ts";
import type { Front } from "../http/http.ts";
import { errorAnswer } from "../sourcify/endpoint.ts";
import { readChainOfPath, type ServedChains } from "./served-chain.ts";

const ETHERSCAN_PATHS = /^\/v2\/(?:api|chainlist)(?:\/|$)/;
/** Clients omit the slash after Sourcify's base. */
const SOURCIFY_PATHS = /^\/sourcify(?:v2|verify-ui)?(?:\/|$)/;

/** Creates the HTTP server's callbacks into the chains and the dialects. */
export function createFront(chains: ServedChains): Front {
  return { ...readChainOfPath(chains), answerTo, parameterNames };
}

/** Returns the answer for a thrown error, in the dialect of a URL; logs faults. */
export function answerTo(
  thrown: unknown,
  { url: own, raw, log }: Pick<FastifyRequest, "url"> & Partial<FastifyRequest>,
  url = own,
): Answer {
  const known = requestErrorOf(thrown);
  // Neither a client that disconnects during its request nor a first synchronisation is a fault.
  const isExpected = known && (known.httpStatus < 500 || known.code === "loading");
  if (!isExpected && !raw?.socket.destroyed) log?.error({ err: thrown }, "request failed");
  const error = known ?? new RequestError(500, "internal", "Something went wrong.");
  const { code, message, httpStatus, parameter } = error;
  const path = (url.split("?", 1)[0] ?? "").replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
  if (SOURCIFY_PATHS.test(path)) return errorAnswer(error, log);
  if (path === "/mcp") {
    const refusal = { jsonrpc: "2.0", id: null, error: { code: -32_000, message } };
    return jsonAnswer(refusal, httpStatus, error);
  }
  const dialect: Dialect = ETHERSCAN_PATHS.test(path) ? "etherscan" : "blockscout";
  if (error instanceof QueryTimedOut && dialect === "etherscan") {
    return jsonAnswer({ status: "0", message: QUERY_TIMEOUT, result: null }, 200, error);
  }
  // Clients recognise a rate limit by this text in `result`.
  const result = code === "rate-limited" ? "Max rate limit reached" : null;
  const text = dialect === "etherscan" ? (result ?? message) : message;
  return failureAnswer(failed(code, text, { httpStatus, parameter, result }), dialect);
}
