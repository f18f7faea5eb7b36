import { RequestError } from "../../core/errors.ts";
import { isRecord } from "../../core/json/record.ts";
import {
  answerAll,
  type Plan,
  type RpcFrame,
  type RpcHandler,
  type RpcOptions,
} from "../eth-rpc/handle.ts";
import type { IndexMethod, RpcOutcome } from "../eth-rpc/rpc.ts";
import { jsonAnswer, jsonText } from "../http/answer.ts";
import { rpcErrorOf } from "../http/failures.ts";
import { INVALID_PARAMETERS, RpcError } from "./blocks.ts";
import { clientVersion, methods } from "./methods.ts";

// JSON-RPC 2.0 for Otterscan, whose errors are objects. Source: docs/wire.md, "Otterscan".

const MAXIMUM_BATCH = 100;
const INVALID_REQUEST = -32_600;
const UNKNOWN_METHOD = -32_601;
const INTERNAL = { code: -32_603, message: "Something went wrong." };
const SHOWN_NAME = 64;

/** Creates the handler of `/ots`. */
export function createOtsHandler({
  requestTimeoutMs,
  version,
}: Pick<RpcOptions, "requestTimeoutMs"> & { version: string }): RpcHandler {
  const offered = { ...methods, web3_clientVersion: clientVersion(version) };
  const frame: RpcFrame = { plan: (entry) => plan(entry, offered), failureOf };
  return async (body, chain, asker) => {
    const isBatch = Array.isArray(body);
    const entries: unknown[] = isBatch ? body : [body];
    if (entries.length === 0) return refuse("empty batch");
    if (entries.length > MAXIMUM_BATCH) return refuse(`batch of more than ${MAXIMUM_BATCH}`);
    const asked = entries.map((entry) =>
      isRecord(entry) && entry["id"] === undefined && !isCall(entry)
        ? { ...entry, id: null }
        : entry,
    );
    const { answers, block } = await answerAll(asked, chain, asker, requestTimeoutMs, frame);
    const wanted = answers.filter(
      (_, index) => !(isRecord(asked[index]) && asked[index]["id"] === undefined),
    );
    const [first] = wanted;
    if (!first) return { httpStatus: 204, contentType: "", body: "", block };
    return isBatch
      ? { ...jsonText(`[${wanted.map(({ text }) => text).join(",")}]`), block }
      : { ...jsonText(first.text), block, fault: first.fault };
  };
}

function failureOf(thrown: unknown): RpcOutcome {
  if (thrown instanceof RpcError) return { error: thrown.error, code: thrown.code };
  if (thrown instanceof RequestError && thrown.httpStatus === 400) {
    const { message, code } = thrown;
    return { error: { code: INVALID_PARAMETERS, message }, code };
  }
  return rpcErrorOf(thrown) ?? { error: INTERNAL, code: "internal" };
}

function refuse(message: string) {
  return jsonAnswer({ jsonrpc: "2.0", error: { code: INVALID_REQUEST, message }, id: null }, 200, {
    code: "bad-request",
  });
}

function isCall(entry: Record<string, unknown>): boolean {
  return entry["jsonrpc"] === "2.0" && typeof entry["method"] === "string";
}

function plan(entry: unknown, offered: Readonly<Record<string, IndexMethod>>): Plan {
  if (!isRecord(entry) || !isCall(entry)) return failed(INVALID_REQUEST, "invalid request");
  const { method: name, params = [] } = entry;
  const method = Object.hasOwn(offered, String(name)) ? offered[String(name)] : undefined;
  if (!method) {
    const shown = String(name).slice(0, SHOWN_NAME);
    return failed(UNKNOWN_METHOD, `the method ${shown} does not exist/is not available`);
  }
  if (!Array.isArray(params)) return failed(INVALID_PARAMETERS, "params are not a list");
  const [fewest, most] = method.parameters;
  const given = params.length;
  if (given < fewest)
    return failed(INVALID_PARAMETERS, `missing value for required argument ${given}`);
  return given > most
    ? failed(INVALID_PARAMETERS, `too many arguments, want at most ${most}`)
    : { kind: "index", method, parameters: params };
}

function failed(number: number, message: string): Plan {
  const code = number === INVALID_REQUEST ? "bad-request" : "unknown-action";
  const fault = number === INVALID_PARAMETERS ? "invalid-parameter" : code;
  return { kind: "answered", outcome: { error: { code: number, message }, code: fault } };
}
