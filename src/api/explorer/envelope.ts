import type { RpcErrorObject } from "../../chain/errors/codes.ts";
import type { ErrorCode, Fault } from "../../core/errors.ts";
import type { PageKey, PageRange } from "../../store/lists/large-pages.ts";
import { type Answer, jsonAnswer } from "../http/answer.ts";
import type { KeyOf } from "./wire.ts";

/** The explorer whose form an answer has: `blockscout` under `/api`, `etherscan` under `/v2/api`. */
export type Dialect = "blockscout" | "etherscan";

/** One value for both dialects, or one for each. */
export type PerDialect<Value> = Value | { blockscout: Value; etherscan: Value };

/** The `id` of a JSON-RPC request or answer. */
export type RpcId = string | number | null;

/** The explorer envelope: always exactly these three keys. */
export interface ExplorerEnvelope {
  status: "0" | "1" | "2";
  message: string;
  result: unknown;
}

/** The action ran without a result: a text of the wire, and further fields. */
export interface Failure extends Fault {
  kind: "failed";
  text: string;
  /** `result` in Blockscout's dialect; Etherscan's always has the text there. */
  result: string | null;
  httpStatus: number;
}

/** The result of a handler. Built with `ok`, `failed`, `verbatim`, `plainText` or `rpcError`. */
export type Outcome<Result> =
  | { kind: "ok"; result: Result; code?: ErrorCode | undefined; next?: PageKey | undefined }
  | { kind: "rpc-error"; error: RpcErrorObject; code: ErrorCode }
  | { kind: "verbatim"; envelope: ExplorerEnvelope; code: ErrorCode | undefined }
  | { kind: "text"; text: string }
  | Failure;

const TEXT_TYPE = "text/plain; charset=utf-8";

/** Message of an empty list for which clients expect no particular text. */
export const NO_RECORDS = "No records found";

/** Error text for sums of fees of days whose receipts are still being read again. */
export const L1_FEES_UNREAD = "L1 fees of earlier blocks are still being read, try again later";

/**
 * Returns a success. An empty array gets the `empty` text of an action that has one. A code marks a failure that has the
 * envelope of a success.
 */
export function ok<Result>(result: Result, code?: ErrorCode): Outcome<Result> {
  return { kind: "ok", result, code };
}

/** Returns a success with a page's rows. A walk reads one more, which shows whether others follow. */
export function okPage<Row, Shown>(
  { after, limit }: PageRange,
  rows: readonly Row[],
  { keyOf, present }: { keyOf: KeyOf<Row>; present: (row: Row) => Shown },
): Outcome<Shown[]> {
  if (after === undefined) return ok(rows.map(present));
  const shown = rows.slice(0, limit - 1);
  const last = shown.length < rows.length ? shown.at(-1) : undefined;
  return { kind: "ok", result: shown.map(present), next: last && keyOf(last).map(String) };
}

/** Returns a failure of the action, in each dialect's form. HTTP 200 by default. */
export function failed(
  code: ErrorCode,
  text: string,
  { result = null, httpStatus = 200, parameter }: FailureOptions = {},
): Failure {
  return { kind: "failed", code, text, result, httpStatus, parameter };
}

/** The parts of a failure that have a default. */
export type FailureOptions = Partial<Pick<Failure, "result" | "httpStatus" | "parameter">>;

/** Returns an exceptional envelope, sent unchanged in both dialects. */
export function verbatim(envelope: ExplorerEnvelope, code?: ErrorCode): Outcome<never> {
  return { kind: "verbatim", envelope, code };
}

/** Returns a plain-text answer. */
export function plainText(text: string): Outcome<never> {
  return { kind: "text", text };
}

/** Returns the failure of an action whose errors are objects. */
export function rpcError(code: ErrorCode, error: RpcErrorObject): Outcome<never> {
  return { kind: "rpc-error", error, code };
}

/** Returns the value of a dialect. */
export function forDialect<Value>(value: PerDialect<Value>, dialect: Dialect): Value {
  return typeof value === "object" && value !== null && "blockscout" in value
    ? value[dialect]
    : (value as Value);
}

/** Returns the error form of the explorer envelope. */
export function failureAnswer(failure: Failure, dialect: Dialect): Answer {
  const { text, result, httpStatus } = failure;
  const envelope: ExplorerEnvelope =
    dialect === "etherscan"
      ? { status: "0", message: "NOTOK", result: text }
      : { status: "0", message: text, result };
  return jsonAnswer(envelope, httpStatus, failure);
}

/** Returns the explorer envelope of an outcome. `empty` is the message of an empty list that counts as a failure. */
export function explorerAnswer(
  outcome: Outcome<unknown>,
  dialect: Dialect,
  empty: string | undefined,
): Answer {
  switch (outcome.kind) {
    case "ok": {
      const { result, code } = outcome;
      return empty !== undefined && Array.isArray(result) && result.length === 0
        ? jsonAnswer({ status: "0", message: empty, result }, 200, { code: "empty" })
        : jsonAnswer({ status: "1", message: "OK", result }, 200, code && { code });
    }
    case "verbatim": {
      const { envelope, code } = outcome;
      return jsonAnswer(envelope, 200, code && { code });
    }
    case "text":
      return { httpStatus: 200, contentType: TEXT_TYPE, body: outcome.text };
    case "failed":
      return failureAnswer(outcome, dialect);
    case "rpc-error":
      throw new TypeError("an action of the explorer cannot answer with an error object");
  }
}

/** Returns the JSON-RPC envelope of an outcome; an error is the bare text, as in the reference. */
export function rpcAnswer(outcome: Outcome<unknown>, id: RpcId): Answer {
  switch (outcome.kind) {
    case "ok":
      return jsonAnswer({ jsonrpc: "2.0", result: outcome.result, id });
    case "failed":
      return jsonAnswer({ jsonrpc: "2.0", error: outcome.text, id }, outcome.httpStatus, outcome);
    default:
      throw new TypeError(`a JSON-RPC action cannot answer with "${outcome.kind}"`);
  }
}

const PROXY_ID = 1;
const INVALID_PARAMETERS = -32_602;

/** Returns the JSON-RPC envelope in a node's form. Source: docs/wire.md, "Module proxy". */
export function proxyAnswer(outcome: Outcome<unknown>): Answer {
  const head = { jsonrpc: "2.0", id: PROXY_ID };
  switch (outcome.kind) {
    case "ok":
      return jsonAnswer({ ...head, result: outcome.result });
    case "failed": {
      const error = { code: INVALID_PARAMETERS, message: outcome.text };
      return jsonAnswer({ ...head, error }, 200, outcome);
    }
    case "rpc-error":
      return jsonAnswer({ ...head, error: outcome.error }, 200, outcome);
    default:
      throw new TypeError(`module proxy cannot answer with "${outcome.kind}"`);
  }
}
