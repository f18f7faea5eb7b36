import type { Oracle } from "../oracle/oracle.ts";
import type { Dialect, Parameters } from "./parameters.ts";

/** A request as it is sent: the names and values of its query or body. */
export interface WireRequest {
  dialect: Dialect;
  parameters: Readonly<Record<string, string>>;
}

/** The expected answer: HTTP status, and the JSON body as a value (the order of its keys is free). */
export interface WireAnswer {
  httpStatus: number;
  body: unknown;
}

/** Where the node stood when the server asked it. */
export interface NodePlace {
  /** Its newest block was not the head that was served: it says nothing of that head then. */
  nodeIsElsewhere?: boolean;
  /** The base fee after the head; default: EIP-1559's rule. */
  nextBaseFee?: bigint;
}

/** Input of an answer's computation. */
export interface Question extends NodePlace {
  oracle: Oracle;
  dialect: Dialect;
  parameters: Parameters;
}

/** Computes the answer of one action. */
export type Answerer = (question: Question) => WireAnswer;

/** Success. */
export function succeed(result: unknown): WireAnswer {
  return { httpStatus: 200, body: { status: "1", message: "OK", result } };
}

/** Failure of the action in its own terms. */
export function fail(dialect: Dialect, text: string, httpStatus = 200): WireAnswer {
  const body =
    dialect === "blockscout"
      ? { status: "0", message: text, result: null }
      : { status: "0", message: "NOTOK", result: text };
  return { httpStatus, body };
}

/** A list, or the words for an empty one, which Etherscan's clients know by these two texts only. */
export function list(
  dialect: Dialect,
  elements: readonly unknown[],
  empty: { blockscout: string; etherscan: "No transactions found" | "No records found" },
): WireAnswer {
  if (elements.length > 0) return succeed(elements);
  return { httpStatus: 200, body: { status: "0", message: empty[dialect], result: [] } };
}
