import type { NodeName, RpcCall } from "../../../chain/chain.ts";
import type { RpcErrorObject } from "../../../chain/errors.ts";
import type { Context } from "../../action.ts";
import { type Outcome, ok, rpcError } from "../../envelope.ts";
import { UNANSWERED } from "../../failures.ts";
import { forwardCalls } from "../../forwarding.ts";

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
  if (answer && "result" in answer) return ok(answer.result as Result);
  return rpcError(answer?.error ?? UNANSWERED.unreachable);
}

/** Whether the error is that the node did not answer. */
export function isUnanswered(error: RpcErrorObject): boolean {
  return Object.values(UNANSWERED).includes(error);
}
