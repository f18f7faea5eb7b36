import type { NodeName, RpcCall } from "../../../../chain/options.ts";
import type { ErrorCode } from "../../../../core/errors.ts";
import { UNANSWERED } from "../../../http/failures.ts";
import type { Context } from "../../action.ts";
import { type Outcome, ok, rpcError } from "../../envelope.ts";
import { type Forwarded, forwardCalls } from "../../forwarding.ts";

/** Forwards a call and returns the node's result or error, unchanged and unchecked; from any node by default. */
export async function forward<Result>(
  { chain }: Pick<Context, "chain">,
  call: RpcCall,
  node?: NodeName,
): Promise<Outcome<Result>> {
  const [answer] = await forwardCalls(chain, [call], node);
  return outcomeOf(answer ?? UNANSWERED.unreachable);
}

/** Converts the node's answer into an outcome. The type of the result is not checked. */
export function outcomeOf<Result>(answer: Forwarded): Outcome<Result> {
  return "error" in answer ? rpcError(answer.code, answer.error) : ok(answer.result as Result);
}

/** Returns whether the error means that the node did not answer. */
export function isUnanswered(code: ErrorCode): boolean {
  return code === "busy" || code === "node-unreachable";
}
