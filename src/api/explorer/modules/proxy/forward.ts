import type { NodeName, RpcCall } from "../../../../chain/options.ts";
import type { ErrorCode } from "../../../../core/errors.ts";
import { UNANSWERED } from "../../../http/failures.ts";
import type { Context } from "../../action.ts";
import { type Outcome, ok, rpcError } from "../../envelope.ts";
import { type Forwarded, forwardCalls } from "../../forwarding.ts";

/**
 * The node's own answer to a call, its result or its error, unchanged; of any node unless one is named. The type of the
 * result is not checked.
 */
export async function forward<Result>(
  { chain }: Pick<Context, "chain">,
  call: RpcCall,
  node?: NodeName,
): Promise<Outcome<Result>> {
  const [answer] = await forwardCalls(chain, [call], node);
  return outcomeOf(answer ?? UNANSWERED.unreachable);
}

/** What the node said as an outcome. The type of the result is not checked. */
export function outcomeOf<Result>(answer: Forwarded): Outcome<Result> {
  return "error" in answer ? rpcError(answer.code, answer.error) : ok(answer.result as Result);
}

/** Whether an error is that the node did not answer. */
export function isUnanswered(code: ErrorCode): boolean {
  return code === "busy" || code === "node-unreachable";
}
