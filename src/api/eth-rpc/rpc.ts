import type { ErrorCode, Fault } from "../../core/errors.ts";
import type { Reading } from "../explorer/action.ts";
import type { Forward } from "../explorer/forwarding.ts";

/** Answer of one JSON-RPC entry, without its envelope. Our own errors are bare texts, as in the reference. */
export type RpcOutcome = { result: unknown } | ({ error: unknown } & Fault);

/** Dependencies of a method. */
export interface RpcContext extends Reading {
  forward: Forward;
}

/** Tags that only the node can resolve. */
export type NodeTag = "safe" | "finalized";

/** A method answered by the index. */
export interface IndexMethod {
  /** Fewest and most parameters. */
  parameters: readonly [number, number];
  /** Answered also during the first synchronisation. */
  servedWhileLoading?: boolean;
  answer(context: RpcContext, parameters: readonly unknown[]): Promise<RpcOutcome>;
}

/** Returns `error` with the wire's text. */
export function rpcFailure(code: ErrorCode, text: string, parameter?: string): RpcOutcome {
  return { error: text, code, parameter };
}
