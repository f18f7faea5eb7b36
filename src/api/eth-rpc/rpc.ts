import type { ErrorCode, Fault } from "../../core/errors.ts";
import type { Context } from "../explorer/action.ts";
import type { Forward } from "../explorer/forwarding.ts";

/** Answer of one JSON-RPC entry, without its envelope. Errors of our own are bare texts, as the reference has them. */
export type RpcOutcome = { result: unknown } | ({ error: unknown } & Fault);

/** What a method works with. */
export type RpcContext = Omit<
  Context,
  | "dialect"
  | "sent"
  | "client"
  | "signal"
  | "usageOf"
  | "gasOracle"
  | "mempool"
  | "unresponsive"
  | "largeAnswers"
> & { forward: Forward };

/** Tags whose block only the node knows. */
export type NodeTag = "safe" | "finalized";

/** A method that the index answers. */
export interface IndexMethod {
  /** Fewest and most parameters. */
  parameters: readonly [number, number];
  /** Answered also while the first synchronisation is running. */
  servedWhileLoading?: boolean;
  answer(context: RpcContext, parameters: readonly unknown[]): Promise<RpcOutcome>;
}

/** `error` with the wire's text. */
export function rpcFailure(code: ErrorCode, text: string, parameter?: string): RpcOutcome {
  return { error: text, code, parameter };
}
